      *> The paths of tests/cli/0280-languages.bats: worker under dispatch-1 and dispatch-2,
      *> 1:2. They are programs, because paragraphs are not functions.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. shares.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 ROUND PIC S9(9) BINARY.
       01 ROUNDS PIC S9(9) BINARY VALUE 30.
       01 N PIC S9(9) BINARY.
       01 ARGUMENT PIC X(9).
       PROCEDURE DIVISION.
           ACCEPT ARGUMENT FROM ARGUMENT-VALUE
               ON EXCEPTION MOVE "2" TO ARGUMENT.
           COMPUTE ROUNDS = FUNCTION NUMVAL(ARGUMENT) * 15.
           PERFORM VARYING ROUND FROM 1 BY 1 UNTIL ROUND > ROUNDS
               COMPUTE N = 16 + FUNCTION MOD(ROUND * 37, 64)
               CALL "dispatch_1" USING N
               CALL "dispatch_2" USING N
           END-PERFORM.
           STOP RUN.
       END PROGRAM shares.

       IDENTIFICATION DIVISION.
       PROGRAM-ID. worker.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 I PIC S9(9) BINARY.
       01 TURNS PIC S9(9) BINARY.
       01 X PIC S9(9) BINARY.
       LINKAGE SECTION.
       01 N PIC S9(9) BINARY.
       PROCEDURE DIVISION USING N.
           COMPUTE TURNS = N * 200.
           MOVE 1 TO X.
           PERFORM VARYING I FROM 1 BY 1 UNTIL I > TURNS
               COMPUTE X = FUNCTION MOD(X * 1103 + 12345, 65536)
           END-PERFORM.
           GOBACK.
       END PROGRAM worker.

       IDENTIFICATION DIVISION.
       PROGRAM-ID. dispatch_1.
       DATA DIVISION.
       LINKAGE SECTION.
       01 N PIC S9(9) BINARY.
       PROCEDURE DIVISION USING N.
           CALL "worker" USING N.
           GOBACK.
       END PROGRAM dispatch_1.

       IDENTIFICATION DIVISION.
       PROGRAM-ID. dispatch_2.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 TWICE PIC S9(9) BINARY.
       LINKAGE SECTION.
       01 N PIC S9(9) BINARY.
       PROCEDURE DIVISION USING N.
           COMPUTE TWICE = N * 2.
           CALL "worker" USING TWICE.
           GOBACK.
       END PROGRAM dispatch_2.
