(* Strings, hash tables, closures, exceptions and sorting; as many rounds as the argument says. *)
type tree = Node of int * tree list

let seed = ref 1

let word i =
  seed := ((!seed * 1103515) + 12345) land 0x7fffffff;
  Printf.sprintf "%x.%d" !seed (i mod 97)

let rec grow depth =
  let children = if depth = 0 then [] else List.map (fun _ -> grow (depth - 1)) [1; 2; 3] in
  Node (!seed mod 100, children)

let rec walk visit (Node (weight, children)) =
  visit weight;
  List.iter (walk visit) children

let sum = ref 0

let one_round () =
  let count = Hashtbl.create 100 in
  for i = 1 to 5000 do
    let text = word i in
    let key = String.sub text 0 (min 3 (String.length text)) in
    try Hashtbl.replace count key (Hashtbl.find count key + 1)
    with Not_found -> Hashtbl.add count key 1
  done;
  let words = Hashtbl.fold (fun key n all -> (key, n) :: all) count [] in
  sum := !sum + List.length (List.sort compare words);
  walk (fun weight -> sum := !sum + weight) (grow 6)

let () =
  for _ = 1 to int_of_string Sys.argv.(1) do
    one_round ()
  done;
  Printf.printf "%d\n" !sum
