--  The paths of tests/cli/0280-languages.bats: Worker under Dispatch_1 and Dispatch_2, 1:2, and below a recursion.
with Ada.Command_Line;
with Ada.Text_IO;
with Interfaces; use Interfaces;
with Interfaces.C;

procedure Shares is
   package Work is
      function Worker (N : Unsigned_64) return Unsigned_64 with No_Inline;
      function Dispatch_1 (N : Unsigned_64) return Unsigned_64 with No_Inline;
      function Dispatch_2 (N : Unsigned_64) return Unsigned_64 with No_Inline;
      function Descend (Depth, N : Unsigned_64) return Unsigned_64 with No_Inline;
   end Work;

   package body Work is
      Unit_Iterations : constant := 10_000;

      function Worker (N : Unsigned_64) return Unsigned_64 is
         X : Unsigned_64 := N;
      begin
         for I in 1 .. N * Unit_Iterations loop
            X := X * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407;
         end loop;
         return X;
      end Worker;

      function Dispatch_1 (N : Unsigned_64) return Unsigned_64 is (Worker (N) / 3 + N);
      function Dispatch_2 (N : Unsigned_64) return Unsigned_64 is (Worker (2 * N) / 3 + N);

      function Descend (Depth, N : Unsigned_64) return Unsigned_64 is
      begin
         if Depth = 0 then
            return Worker (N) / 3 + N;
         end if;
         return Descend (Depth - 1, N) / 3 + Depth;
      end Descend;
   end Work;
   use Work;

   --  This process's own time on a processor, in microseconds.
   function Clock return Interfaces.C.long
     with Import, Convention => C, External_Name => "clock";

   Seconds : Duration := 2.0;
   Random  : Unsigned_32 := 1;
   N, Sink : Unsigned_64 := 0;
begin
   if Ada.Command_Line.Argument_Count > 0 then
      Seconds := Duration'Value (Ada.Command_Line.Argument (1));
   end if;
   while Duration (Clock) / 1_000_000 < Seconds loop
      Random := Random * 1_664_525 + 1_013_904_223;
      N := 16 + Unsigned_64 (Shift_Right (Random, 26));
      Sink := Sink + Dispatch_1 (N) + Dispatch_2 (N) + Descend (9, N);
   end loop;
   Ada.Text_IO.Put_Line (Sink'Image);
end Shares;
