{ The paths of tests/cli/0280-languages.bats: worker under dispatch_1 and dispatch_2, 1:2, and below a recursion. }
program shares;

{$mode objfpc}
{$Q-}{$R-}

uses
  BaseUnix, SysUtils;

const
  UnitIterations = 10000;

function worker(n: QWord): QWord;
var
  i: QWord;
begin
  Result := n;
  for i := 1 to n * UnitIterations do
    Result := Result * 1103515245 + 12345;
end;

function dispatch_1(n: QWord): QWord;
begin
  Result := worker(n) div 3 + n;
end;

function dispatch_2(n: QWord): QWord;
begin
  Result := worker(2 * n) div 3 + n;
end;

function descend(depth, n: QWord): QWord;
begin
  if depth = 0 then
    Result := worker(n) div 3 + n
  else
    Result := descend(depth - 1, n) div 3 + depth;
end;

{ This process's own time on a processor. }
function seconds_run: Double;
var
  times: tms;
begin
  FpTimes(times);
  Result := (times.tms_utime + times.tms_stime) / 100;
end;

var
  seconds: Double = 2;
  random: DWord = 1;
  n: QWord;
  sink: QWord = 0;

begin
  if ParamCount > 0 then
    seconds := StrToFloat(ParamStr(1));
  while seconds_run < seconds do
  begin
    random := DWord(random * 1664525 + 1013904223);
    n := 16 + random shr 26;
    sink := sink + dispatch_1(n) + dispatch_2(n) + descend(9, n);
  end;
  WriteLn(sink);
end.
