package syntax

// What can be wrong with a program, by subject. The examples are tested: Wrong gives the code and nothing else, Right
// nothing.

var fileDiagnostics = []*Diagnostic{
	{Code: "E001", Title: "the file is no text that can be read",
		Text: "A program is a text file in UTF-8 of at most 4 MiB. Characters that look like the end of a line " +
			"without being one are refused, because " +
			"the lines of messages would be wrong.",
		Formats: []string{"the file has %d bytes; a program may have %d", "the text is not UTF-8",
			"the file is empty", "the file has only comments",
			"the line has a character that is not for program text"}},
	{Code: "E002", Title: "the file is not YAML",
		Text: "The file cannot be taken apart into keys and values. Most often a quote or bracket is not closed, a " +
			"line is indented with a tab, or code " +
			"that contains \": \" or begins with a character that means something to YAML stands without quotes. " +
			"Code in a block after | needs no quotes.",
		Wrong:   "cdpor: 1\nshared: {x: int\nthreads: {p: x = 1}\n",
		Right:   "cdpor: 1\nshared: {x: int}\nthreads: {p: x = 1}\n",
		Formats: []string{"not valid YAML: %s", "not valid YAML: %v"}},
	{Code: "E003", Title: "a feature of YAML that the language does not use",
		Text: "Anchors, aliases, tags, merge keys and further documents behind --- are refused: a program means " +
			"what it shows. Code that begins with *, & or ! must be quoted.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: &a x = 1\n  q: *a\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: {count: 2, run: x = 1}\n",
		Formats: []string{"aliases are not part of the language", "anchors are not part of the language",
			"merge keys are not part of the language",
			"YAML takes what begins with ! as a tag", "a key must be a plain name",
			"~ is not a value of the language", "a second YAML document begins here, and a program is one"}},
	{Code: "E004", Title: "a form of text block that code cannot have",
		Text: "Code of several lines stands in a block after |, which keeps the lines as they are. A block after > " +
			"joins them, and an indentation indicator " +
			"such as |2 moves them.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: >\n    x = 1\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    x = 1\n",
		Formats: []string{"a folded block loses the line ends of the code",
			"code of several lines needs a |: without it YAML makes one line of them",
			"a block of code cannot have an indentation indicator",
			"%s does not stand in the file as it is read",
			"the code ends at a comma: inside { } and [ ] YAML ends a value there", "the block is empty"}},
	{Code: "E005", Title: "a key stands there twice",
		Text:    "Each key of a map has one value. Of two with the same name one would be lost without a word.",
		Wrong:   "cdpor: 1\nshared: {x: int}\nshared: {y: int}\nthreads: {p: x = 1}\n",
		Right:   "cdpor: 1\nshared: {x: int, y: int}\nthreads: {p: x = 1}\n",
		Formats: []string{"key %s is already on line %d"}},
	{Code: "E006", Title: "an unknown key",
		Text: "The section has no such key. Unknown keys are errors, so that a misspelt one is not ignored; the " +
			"message names a similar one if there is one.",
		Wrong:   "cdpor: 1\nshard: {x: int}\nthreads: {p: skip}\n",
		Right:   "cdpor: 1\nshared: {x: int}\nthreads: {p: x = 1}\n",
		Formats: []string{"unknown key %s in %s"}},
	{Code: "E007", Title: "a section of the wrong form",
		Text: "Some sections are maps of names to values, others lists, numbers or code. The reference " +
			"shows the form of each.",
		Wrong: "cdpor: 1\nshared: [x]\nthreads: {p: skip}\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads: {p: x = 1}\n",
		Formats: []string{"of is missing: the type of the messages", "a program is a map of sections",
			"%s must be a map of names to values", "%s is missing or not a plain value", "%s must be an integer",
			"%s must be code", "%s is empty", "outcomes must be a list", "the condition lacks that: ...",
			"leads_to has one condition from and one condition to"}},
	{Code: "E008", Title: "the version of the language",
		Text:  "A program begins with cdpor: 1, the version of the language it is written in.",
		Wrong: "shared: {x: int}\nthreads: {p: x = 1}\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads: {p: x = 1}\n",
		Formats: []string{"this is a replay file, not a program", "this is a constraint file, not a program",
			"the version of the language is missing", "version %q of the language is not known: this is cdpor: 1"}},
	{Code: "E009", Title: "not one of the possible settings",
		Text: "The value of the key is one of a few words, which the message lists, or a number " +
			"that cannot be negative.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads: {p: x = 1}\ncheck: {deadlock: never}\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads: {p: x = 1}\ncheck: {deadlock: forbidden}\n",
		Formats: []string{"daemon is true or false, not %q",
			"the order of a mailbox is fifo or bag, not %q", "atomicity is statement or access, not %q",
			"deadlock is forbidden, allowed or required, not %q", "termination is required, fair or allowed, not %q",
			"fairness is weak or strong, not %q", "races is forbidden or allowed, not %q",
			"to find data races each access must be a step",
			"a verdict is ok, violation, deadlock or vacuous, not %q", "%s cannot be negative"}},
	{Code: "E010", Title: "a thread or its code is missing",
		Text: "A program has at least one thread, or main, and every thread says what it does: as " +
			"its value or under run.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: {count: 2}\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: {count: 2, run: x = 1}\n",
		Formats: []string{"main has no run: what it does is missing", "the program has no threads",
			"thread %s has no run: what it does is missing"}},
	{Code: "E011", Title: "outcomes that do not fit what is observed",
		Text:    "A row of check.outcomes gives a value for each observed name, in their order or as a map.",
		Wrong:   "cdpor: 1\nshared: {x: int, y: int}\nthreads: {p: x = 1, q: y = 1}\ncheck: {outcomes: [[1]]}\n",
		Right:   "cdpor: 1\nshared: {x: int, y: int}\nthreads: {p: x = 1, q: y = 1}\ncheck: {outcomes: [[1, 1]]}\n",
		Formats: []string{"an outcome has the %s that are observed", "the outcome says nothing about %s"}},
	{Code: ConstraintFileCode, Title: "a constraint file that cannot be used",
		Text: "A constraint file lists pairs of steps, each under blocks, with the conditions commute and uniform " +
			"and a status. cdpor synth writes such files, " +
			"and an edited one must keep their form. Mistakes inside a condition have the codes of expressions. " +
			"Names for conditions " +
			"stand under define, each once and with the processes that it speaks of, and some condition uses them.",
		Formats: []string{"%s is not among the processes of the definition %s",
			"a definition names the process of a variable",
			"this is not how the definition %s is used", "the definition %s uses itself"}},
	{Code: "E900", Title: "a bug of cdpor",
		Text: "The program has been understood, but what it was translated to is not consistent. " +
			"Please report the program.",
		Formats: []string{"internal error: %v"}},
}

var codeDiagnostics = []*Diagnostic{
	{Code: "E101", Title: "a character, number or string that is not part of the language",
		Text: "Numbers are decimal, of at most 64 bits; strings stand in double quotes on one line; comments inside " +
			"code begin with //, and with # outside; " +
			"code is indented with blanks.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    x = 1   # one\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    x = 1   // one\n",
		Formats: []string{"# is not part of the language", "a tab in the code",
			"%s is not a number of the language: decimal integers of at most 64 bits",
			"the string does not end on its line", "malformed string", "unexpected character %q", "-%s is too small"}},
	{Code: "E102", Title: "something else is expected here",
		Text: "The code cannot go on like this; the message says what could stand here. Statements end with the " +
			"line or with a semicolon.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x = 1 2\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x = 1\n",
		Formats: []string{"receive needs a case", "expected { after receive, found %s",
			"expected an operation: op %s = f(x) { }", "expected { after the operation, found %s",
			"op is followed by the call of a procedure", "expected case or after, found %s", "a second after",
			"a case behind after", "expected %s %s, found %s", "expected %s, found %s", "expected %s after %s",
			"expected ( after %s %s", "expected ( after the message %s",
			"expected a name after the point, found %s", "expected a type, found %s",
			"expected an expression, found %s", "expected case or default, found %s",
			"expected the end of the statement, found %s", "unexpected %s", "a number has no parts", "a second default",
			"two labels on one statement",
			"a case is send c, v, closed c or recv c, perhaps with let v = or let v, ok = in front",
			"select needs a case", "two variables are for recv alone",
			"a cond is cond, or cond(spurious) when it may wake up by itself"}},
	{Code: "E103", Title: "a brace that is not closed",
		Text:    "Every { of code needs its }.",
		Wrong:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    if x == 0 {\n      x = 1\n",
		Right:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    if x == 0 {\n      x = 1\n    }\n",
		Formats: []string{"this { is not closed"}},
	{Code: "E104", Title: "not an operator",
		Text:  "Conditions are joined with && and ||, and compared with ==.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: if x > 0 & x < 3 { x = 1 }\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: if x > 0 && x < 3 { x = 1 }\n",
		Formats: []string{"%s is not an operator of the language",
			"= assigns, and here stands an expression: == compares"}},
	{Code: "E112", Title: "a statement of another language",
		Text: "The word begins a statement elsewhere, but none here; the message says what to write instead. Loops " +
			"are while c { } and for i in lo..hi { }, blocks stand in braces, " +
			"variables are declared with var and let, and what all threads see stands in the section shared.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    for (i = 0; i < 3; i++) { x += i }\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    for i in 0..2 { atomic { x += i } }\n",
		Formats: []string{"%s begins no statement of the language", "a for loop of another language",
			"a block stands in braces, and this is %s", "a declaration without the :"}},
	{Code: "E105", Title: "else without if",
		Text: "else stands on the line of the closing brace of its if.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    if x > 0 { x = 1 }\n    x = 3\n" +
			"    else { x = 2 }\n",
		Right:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    if x > 0 { x = 1 } else { x = 2 }\n",
		Formats: []string{"else without if"}},
	{Code: "E106", Title: "a variable without a type or value",
		Text:    "let names a value that stays; var declares a variable, with a type, a value or both.",
		Wrong:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    let r\n    x = 1\n",
		Right:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    let r = 1\n    x = r\n",
		Formats: []string{"let needs a value: let %s = ...", "expected a type or a value for %s"}},
	{Code: "E107", Title: "strings are only messages",
		Text: "There are no strings among the values. A text in double quotes can stand behind an assertion as " +
			"its message; for data use an enum.",
		Wrong:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x = \"one\"\n",
		Right:   "cdpor: 1\nshared: {x: \"enum [zero, one]\"}\nthreads:\n  p: x = one\n",
		Formats: []string{"strings are only messages, not values", "expected a message in double quotes, found %s"}},
	{Code: "E108", Title: "an expression that does nothing",
		Text: "An expression alone is not a statement, because its value would be lost. Perhaps = " +
			"was meant and == written.",
		Wrong:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x == 1\n",
		Right:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x = 1\n",
		Formats: []string{"this expression does nothing"}},
	{Code: "E109", Title: "too large or too deep",
		Text: "Code, types and values may be nested only so deep, and expressions grow only so large when functions, " +
			"procedures and conditions over elements are " +
			"written out. Use a loop or a variable, or smaller parameters.",
		Formats: []string{"the code is nested too deeply", "the expression is too complex",
			"the expression is too large when written out", "the expression is too long",
			"the type is nested too deeply", "the value is nested too deeply", "too many elements to write out",
			"the thread becomes too long when its procedures are written out"}},
	{Code: "E110", Title: "not supported yet",
		Text:    "The word is reserved for something that the language is to have.",
		Formats: []string{"type %s: not supported yet"}},
	{Code: "E111", Title: "break or continue outside of a loop",
		Text:  "break leaves the innermost loop and continue goes on with its next round; there is none here.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    if x > 0 { break }\n    x = 1\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    while x < 2 {\n      if x > 0 { break }\n" +
			"      x = 1\n    }\n",
		Formats: []string{"there is no loop to leave or continue here"}},
}

var nameDiagnostics = []*Diagnostic{
	{Code: "E201", Title: "an unknown name",
		Text: "Nothing of this name can be seen here: no variable, parameter, constant, enum member or thread. " +
			"Variables of a thread can be seen in its own code, " +
			"and as thread.name in observe and check.",
		Wrong:   "cdpor: 1\nshared: {count: int}\nthreads:\n  p: cuont = 1\n",
		Right:   "cdpor: 1\nshared: {count: int}\nthreads:\n  p: count = 1\n",
		Formats: []string{"unknown name %s"}},
	{Code: "E202", Title: "an unknown function",
		Text: "No function or procedure has this name, or the word asks about the elements of a value and needs " +
			"one in front: xs.all(v, v > 0).",
		Wrong:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x = maximum(x, 1)\n",
		Right:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x = max(x, 1)\n",
		Formats: []string{"unknown function %s", "%s(...) cannot stand here"}},
	{Code: "E203", Title: "an unknown type",
		Text:    "Types are those of the language and those declared under types.",
		Wrong:   "cdpor: 1\nshared: {x: integer}\nthreads:\n  p: skip\n",
		Right:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x = 1\n",
		Formats: []string{"unknown type %s"}},
	{Code: "E204", Title: "no such field, method or part",
		Text: "What stands before the point has no part of this name. Which operations a value " +
			"has depends on its type.",
		Wrong: "cdpor: 1\nshared: {q: \"queue[int, 2]\"}\nthreads:\n  p: q.put(1)\n",
		Right: "cdpor: 1\nshared: {q: \"queue[int, 2]\"}\nthreads:\n  p: q.push(1)\n",
		Formats: []string{"%s has no field %s", "%s has no method %s", "%s has no method pop", "%s has no operation %s",
			"%s has no part %s",
			"self has no part %s", "thread %s has no variable %s"}},
	{Code: "E205", Title: "a name is used twice",
		Text: "Names that can be seen in one place must differ, so that it is clear which one is meant. " +
			"That goes for labels as well.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    var x int = 1\n    x = 2\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    var r int = 1\n    x = r\n",
		Formats: []string{"%s is already declared", "%s is already declared on line %d", "%s is already a parameter",
			"%s is already a parameter of the class",
			"%s is already a variable or a parameter", "%s is already a variable, a parameter or a class",
			"%s is a field of %s", "%s is a shared variable",
			"%s is a parameter of the program", "%s already has a method %s", "%s is twice among the parameters",
			"%s is twice in the enum",
			"%s is twice in the record", "field %s is given twice", "label %s is already on line %d",
			"there is a thread called main as well"}},
	{Code: "E206", Title: "a name that cannot be one",
		Text:  "Names consist of letters, digits and _, do not begin with a digit, and are not words of the language.",
		Wrong: "cdpor: 1\nshared: {while: int}\nthreads:\n  p: skip\n",
		Right: "cdpor: 1\nshared: {during: int}\nthreads:\n  p: during = 1\n",
		Formats: []string{"%s cannot be %s", "%q cannot be the name of %s",
			"%s is a word of the language and cannot be %s",
			"%s is a word of the language and cannot be the name of %s", "%s has a meaning already",
			"%s has a meaning in the language", "%s is a type of the language"}},
	{Code: "E207", Title: "a name with two meanings",
		Text: "Two enums have a member of this name, and nothing here says which one is meant. Compare with or " +
			"assign to something of the type, or rename one.",
		Wrong: "cdpor: 1\ntypes: {A: \"enum [on, off]\", B: \"enum [on, no]\"}\nshared: {a: A, b: B}\nthreads:\n" +
			"  p: |\n    let v = on\n    a = v\n",
		Right: "cdpor: 1\ntypes: {A: \"enum [on, off]\", B: \"enum [on, no]\"}\nshared: {a: A, b: B}\n" +
			"threads:\n  p: a = on\n",
		Formats: []string{"%s is a member of %s and of %s"}},
	{Code: "E208", Title: "this has no value",
		Text:  "Threads, classes, ranges, and self where no thread runs are not values.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x = q\n  q: x = 1\n",
		Right: "cdpor: 1\nshared: {x: int, y: int}\nthreads:\n  p: x = y\n  q: y = 1\n",
		Formats: []string{"%s is a class, not a value", "%s is a thread, not a value", "%s is a type, not a value",
			"a range lo..hi is not a value",
			"self has a meaning only in threads",
			"%s asks a process"}},
	{Code: "E209", Title: "no constant",
		Text: "Lengths, counts, initial values and parameters are computed before the program starts, from " +
			"parameters and constants, and must have a value.",
		Wrong: "cdpor: 1\nshared: {x: int, a: \"array[x] int\"}\nthreads:\n  p: x = 1\n",
		Right: "cdpor: 1\nparams: {N: 2}\nshared: {x: int, a: \"array[N] int\"}\nthreads:\n  p: x = 1\n",
		Formats: []string{"%s is a shared variable; only parameters and constants can be used here", "%v", "%s: %v",
			"%s of instance %d: %v"}},
	{Code: "E210", Title: "a parameter that does not fit",
		Text: "Parameters are integers, truth values, members of an enum or lists of integers. What -p or with: " +
			"gives them must be of the type of their default.",
		Wrong: "cdpor: 1\nparams: {N: 2}\nshared: {x: int}\nthreads:\n  p: x = N\n" +
			"expect: {with: {M: 3}, verdict: ok}\n",
		Right: "cdpor: 1\nparams: {N: 2}\nshared: {x: int}\nthreads:\n  p: x = N\n" +
			"expect: {with: {N: 3}, verdict: ok}\n",
		Formats: []string{"the program has no parameter %s", "the parameter is %s, and this is %s",
			"a parameter is an int, a bool, a member of an enum or a list of ints"}},
	{Code: "E211", Title: "which thread?",
		Text: "A thread with count: has instances name[0], name[1] and so on; one without has no number. The " +
			"variables of threads that are spawned cannot be asked for.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: {count: 2, run: \"var r int = x; x = r + 1\"}\n" +
			"observe: [\"p[2].r\"]\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: {count: 2, run: \"var r int = x; x = r + 1\"}\n" +
			"observe: [\"p[1].r\"]\n",
		Formats: []string{"%s is started by spawn: there may be many", "no thread that is spawned has a mailbox",
			"the mailboxes of %s are an array", "which instance of %s?", "%s has the instances 0 to %d",
			"thread %s has no count: write %s without a number", "%s is not a thread",
			"not a process", "%s is started by spawn: its variables cannot be asked for"}},
	{Code: "E212", Title: "a variable of which of the two steps?",
		Text: "In conditions of constraint files p is the process of the first step and q that of the second. A " +
			"name that both have needs the prefix.",
		Formats: []string{"both steps have a variable %s", "self of which step?"}},
}

var typeDiagnostics = []*Diagnostic{
	{Code: "E301", Title: "a value of another type is needed",
		Text: "Values are not converted silently. Integers of different sizes are converted with the name " +
			"of the type: uint8(x).",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x = true\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x = 1\n",
		Formats: []string{"this is %s, but %s is needed", "a list stands where %s is needed",
			"a record stands where %s is needed", "the two values are %s and %s",
			"null is not a value of %s", "%s is an integer, not %s", "cannot exchange %s and %s"}},
	{Code: "E302", Title: "a number is needed",
		Text:  "Arithmetic and order are for integers.",
		Wrong: "cdpor: 1\nshared: {x: int, b: bool}\nthreads:\n  p: x = b + 1\n",
		Right: "cdpor: 1\nshared: {x: int, b: bool}\nthreads:\n  p: \"x = b ? 2 : 1\"\n",
		Formats: []string{"this is %s, but a number is needed", "%s= needs a number, and this is %s",
			"fetch_add needs a number, and this is %s",
			"%s needs numbers, and this is %s", "sum needs numbers, and the elements are %s"}},
	{Code: "E303", Title: "a condition is needed",
		Text:    "Conditions are of type bool; numbers are neither true nor false, and x = 1 is not a comparison.",
		Wrong:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: if x { x = 1 }\n",
		Right:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: if x != 0 { x = 1 }\n",
		Formats: []string{"this is %s, but a condition is needed"}},
	{Code: "E304", Title: "the operation is for something else",
		Text: "Locks are taken on mutexes, messages sent to channels and actors, and only what has been " +
			"spawned can be joined.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: lock x\n",
		Right: "cdpor: 1\nshared: {x: int, m: mutex}\nthreads:\n  p: |\n    lock m\n    x = 1\n    unlock m\n",
		Formats: []string{"this is %s, but messages go to threads", "this is %s, but a channel is needed",
			"this is %s, but a mutex is needed", "this is %s, but a condition variable is needed",
			"this is %s, but a once is needed",
			"this is %s, but a thread or future to wait for is needed", "this is %s, but messages go to actors",
			"join waits for threads, and this is %s",
			"%s does not work on a mutex", "%s is not a record", "%s is not a class of actors",
			"%s is not a thread that can be spawned"}},
	{Code: "E305", Title: "the type is not known here",
		Text: "null, [] and {...} get their type from what they are assigned to or compared with; here " +
			"is nothing of the kind.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    let none = null\n    x = 1\n",
		Right: "cdpor: 1\nshared: {x: int?}\nthreads:\n  p: x = null\n",
		Formats: []string{"the type of null is not known here", "the type of [] is not known here",
			"the type of {...} is not known here"}},
	{Code: "E306", Title: "a value outside of its type",
		Text: "The value cannot be, or may not be, one of the type: a range, an integer of so many bits, or a list " +
			"with room for so many elements.",
		Wrong: "cdpor: 1\nshared: {a: \"array[2] int = [1, 2, 3]\"}\nthreads:\n  p: a[0] = 4\n",
		Right: "cdpor: 1\nshared: {a: \"array[2] int = [1, 2]\"}\nthreads:\n  p: a[0] = 4\n",
		Formats: []string{"this may be outside of %s", "%d is outside of %s", "%d is too large",
			"%d elements do not fit into %s",
			"%d elements for an array of length %d", "the list may take more than %d words"}},
	{Code: "E307", Title: "two values that do not go together",
		Text:  "Both sides of a comparison or an operation must be of one type; locks cannot be compared at all.",
		Wrong: "cdpor: 1\nshared: {x: int, b: bool}\nthreads:\n  p: if x == b { x = 1 }\n",
		Right: "cdpor: 1\nshared: {x: int, b: bool}\nthreads:\n  p: if (x == 1) == b { x = 1 }\n",
		Formats: []string{"cannot compare %s with %s", "mutexes cannot be compared", "cannot join %s and %s",
			"+ joins lists, and this is %s",
			"%s mixes %s and %s"}},
	{Code: "E308", Title: "never null",
		Text:    "Only values of a type T? can be null. Asking others whether they are has one answer.",
		Wrong:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: if x == null { x = 1 }\n",
		Right:   "cdpor: 1\nshared: {x: int?}\nthreads:\n  p: if x == null { x = 1 }\n",
		Formats: []string{"%s is never null", "%s is never null: ! is for values of a type T?"}},
	{Code: "E309", Title: "no elements",
		Text: "Only arrays, lists and queues have numbered elements; sets, bags and maps have elements in an order " +
			"of their own, other values none.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x = x[0]\n",
		Right: "cdpor: 1\nshared: {x: int, a: \"array[2] int\"}\nthreads:\n  p: x = a[0]\n",
		Formats: []string{"%s has no elements", "%s has no numbered elements", "%s has no elements to choose from",
			"%s has no elements to go through",
			"%s has no parts to cut out"}},
	{Code: "E310", Title: "a type that cannot be",
		Text: "Records have fields and enums members, ranges are not empty, and lists, queues and the like say how " +
			"much there is room for.",
		Wrong: "cdpor: 1\nshared: {q: \"queue[int]\"}\nthreads:\n  p: skip\n",
		Right: "cdpor: 1\nshared: {q: \"queue[int, 4]\"}\nthreads:\n  p: q.push(1)\n",
		Formats: []string{"a mailbox holds from 1 to %d messages, not %d", "a record needs fields",
			"an enum needs members", "the range %d..%d is empty", "a length of %d: it must be from 0 to %d",
			"the number of a %s must be from %d to %d, not %d", "a %s needs a capacity",
			"a reference is to different classes, A|B, and %s is none or is there twice"}},
	{Code: "E311", Title: "a lock is no value",
		Text: "Mutexes, channels and the like stay where they are: they cannot be copied, given by value, put into " +
			"lists or kept in a thread.",
		Wrong: "cdpor: 1\nshared: {a: mutex, b: mutex}\nthreads:\n  p: a = b\n",
		Right: "cdpor: 1\nshared: {a: mutex, b: mutex, x: int}\nthreads:\n  p: |\n    with lock a { x = 1 }\n",
		Formats: []string{"a tid cannot be sent", "a %s cannot be sent", "a %s cannot be printed",
			"a %s cannot be moved, so it cannot be in %s", "a %s cannot be assigned", "a %s cannot be given by value",
			"a %s cannot be a result",
			"a %s cannot be a field", "a %s is not a value: it cannot be copied or compared",
			"a value with a %s in it cannot be made or copied",
			"the parts of %s are changed by its operations only", "a %s must be shared, so %s cannot be one",
			"a tid cannot be shared"}},
	{Code: "E312", Title: "no initial value",
		Text:  "Locks are free at the start, channels empty; and a type is not a variable.",
		Wrong: "cdpor: 1\nshared: {x: int, m: mutex = 1}\nthreads:\n  p: x = 1\n",
		Right: "cdpor: 1\nshared: {x: int, m: mutex}\nthreads:\n  p: x = 1\n",
		Formats: []string{"a mailbox is empty at the start", "a %s is free at the start and has no initial value",
			"a type has no initial value"}},
	{Code: "E313", Title: "the state is too large",
		Text: "A state is a vector of words, and every step copies it. Declare smaller arrays, or fewer " +
			"threads, actors or tasks.",
		Wrong: "cdpor: 1\nshared: {a: \"array[2000] array[2000] int\"}\nthreads:\n  p: a[0][0] = 1\n",
		Right: "cdpor: 1\nshared: {a: \"array[20] array[20] int\"}\nthreads:\n  p: a[0][0] = 1\n",
		Formats: []string{"a value of this type takes %d words, more than %d",
			"the shared variables take more than %d words",
			"the variables of the %d instances of thread %s take too many words: %d each",
			"the variables of function %s take too many words: %d",
			"the variables of method %s take too many words: %d", "the program has more than %d threads",
			"there may be %d threads, actors and tasks at once, more than %d"}},
}

var stepDiagnostics = []*Diagnostic{
	{Code: "E401", Title: "only the first statement of a step may block",
		Text: "atomic { } is one step, and a step either runs to its end or does not begin. So what may have to " +
			"wait, such as await, lock, send and recv, can only be " +
			"the first statement of the block.",
		Wrong:   "cdpor: 1\nshared: {x: int, y: int}\nthreads:\n  p: |\n    atomic { x = 1; await y == 1 }\n",
		Right:   "cdpor: 1\nshared: {x: int, y: int}\nthreads:\n  p: |\n    atomic { await y == 1; x = 1 }\n",
		Formats: []string{"%s can block, and only the first statement of an atomic block may"}},
	{Code: "E402", Title: "this cannot be changed",
		Text: "Parameters, constants, names declared with let, loop variables and results of expressions keep their " +
			"value. Variables are declared with var.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    let r = x\n    r = 2\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    var r = x\n    r = 2\n    x = r\n",
		Formats: []string{"%s is a parameter and cannot be changed", "%s is a constant",
			"%s is %s and cannot be changed",
			"this is not a variable or an element of one"}},
	{Code: "E403", Title: "an expression that changes something",
		Text: "Expressions have values and functions have results, but no effects: pop, cas, recv and calls of " +
			"procedures stand alone or right after =, where it is " +
			"clear when they happen.",
		Wrong: "cdpor: 1\nshared: {x: int, q: \"queue[int, 2]\"}\nthreads:\n  p: await q.pop() == 1\n",
		Right: "cdpor: 1\nshared: {x: int, q: \"queue[int, 2]\"}\nthreads:\n  p: |\n    let v = q.pop()\n    x = v\n",
		Formats: []string{"a message to a thread is a statement of its own and has no value",
			"an expression here must not change anything", "%s in a function: it has no effects",
			"%s is a procedure, and a function has no effects",
			"%s is a statement and has no value", "%s is a statement without a value, or takes other arguments",
			"a call of procedure %s stands alone, as a statement or after ="}},
	{Code: "E404", Title: "a label that names no step",
		Text: "Labels name steps. Inside of atomic { } there is only the step that the whole block is, and a " +
			"statement that touches nothing shared is none.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    atomic { x = 1; put: x = 2 }\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    put: atomic { x = 1; x = 2 }\n",
		Formats: []string{"a label inside atomic: the whole block is one step",
			"label %s is on a statement that makes no step"}},
	{Code: "E405", Title: "other arguments are needed",
		Text: "A call has as many arguments as there are parameters. Words that ask about elements take a name for " +
			"the element first: xs.any(v, v > 0).",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x = max(x)\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x = max(x, 1)\n",
		Formats: []string{"old takes 1 argument, not %d", "%s takes %d arguments, not %d", "%s takes %s, not %d",
			"%s takes 1 argument, not %d", "pop takes no arguments", "%s has %s, not %d",
			"write any(lo..hi) or any(xs)", "write xs.%s(v, ...) with a name v for the element"}},
	{Code: "E406", Title: "a result that is missing or not wanted",
		Text: "A function returns a value of its type on every path. Threads have no result, and of procedures and " +
			"methods only those that declare one.",
		Wrong: "cdpor: 1\nshared: {x: int}\nfunctions:\n  sign(n int) int: |\n    if n > 0 { return 1 }\n" +
			"threads:\n  p: x = sign(x)\n",
		Right: "cdpor: 1\nshared: {x: int}\nfunctions:\n  sign(n int) int: |\n    if n > 0 { return 1 }\n" +
			"    return 0\nthreads:\n  p: x = sign(x)\n",
		Formats: []string{"%s may end without return", "function %s may end without return",
			"method %s may end without return", "function %s has no result",
			"%s has no result", "a thread returns no value", "a value of type %s must be returned",
			"a thread has no result", "a class has no result"}},
	{Code: "E407", Title: "a procedure that calls itself",
		Text: "Procedures are written out where they are called. One that calls itself needs a bound: bounds: " +
			"{procedures: N}. Functions may call themselves.",
		Wrong: "cdpor: 1\nshared: {x: int}\nprocedures:\n  down(n int): |\n    x = n\n" +
			"    if n > 0 { down(n - 1) }\nthreads:\n  p: down(2)\n",
		Right: "cdpor: 1\nbounds: {procedures: 3}\nshared: {x: int}\nprocedures:\n  down(n int): |\n    x = n\n" +
			"    if n > 0 { down(n - 1) }\nthreads:\n  p: down(2)\n",
		Formats: []string{"%s calls itself"}},
	{Code: "E408", Title: "a choice that cannot be made here",
		Text: "Which alternative is taken is part of the schedule, so a choice is the beginning of a step, is among " +
			"a few alternatives, and what there is to choose from " +
			"does not depend on shared data.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x = any(0..x)\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x = any(0..3)\n",
		Formats: []string{"a receive from a bag is a choice, and this one would be inside of a step",
			"a bag of %d messages; one can be chosen among %d", "a choice among %d; it may be among %d at most",
			"a choice here would be inside of a step", "a choice cannot depend on shared data",
			"this choice is made before the block, and its bounds may change inside", "there is nothing to choose from",
			"a choice in a loop inside of a step",
			"a choice of one"}},
	{Code: "E409", Title: "division by zero, or an element that no array of the type has",
		Text: "The divisor is the constant 0, or the index is a number outside of the array. Where it only may be " +
			"so, that is a run-time error that exploring finds.",
		Wrong:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x = x / 0\n",
		Right:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x = x / 2\n",
		Formats: []string{"division by zero", "%s has no element %d"}},
	{Code: "E410", Title: "sending to a rendezvous in select",
		Text: "A channel without capacity hands a value from one process to another in one step; select can " +
			"receive from it, but not send.",
		Wrong: "cdpor: 1\nshared: {c: \"chan[int, 0]\", x: int}\nthreads:\n  p: |\n    select {\n" +
			"      case send c, 1 { x = 1 }\n    }\n  q: |\n    x = recv c\n",
		Right: "cdpor: 1\nshared: {c: \"chan[int, 1]\", x: int}\nthreads:\n  p: |\n    select {\n" +
			"      case send c, 1 { x = 1 }\n    }\n  q: |\n    x = recv c\n",
		Formats: []string{"a rendezvous can be received from in select, but not sent to"}},
	{Code: "E411", Title: "how many threads",
		Text: "count says how many instances a thread has that runs from the start. How often a thread that is " +
			"spawned may exist is said in bounds, and it has no number " +
			"of its own.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: {count: 2000, run: x = 1}\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: {count: 2, run: x = 1}\n",
		Formats: []string{"a count of %d: it must be from 0 to %d", "a thread that is started by spawn has no count",
			"a thread that is spawned has no number",
			"a bound must be from 1 to %d, not %d"}},
	{Code: "E412", Title: "actors are asked by messages",
		Text: "The fields of an actor are seen by its own methods only, and its methods are started by messages: " +
			"o!m(args). A message to one of several classes " +
			"needs a method with the same parameters in each.",
		Wrong: "cdpor: 1\nshared: {x: int}\nactors:\n  A: {fields: {n: int}, methods: {m(): n = 1}}\nmain: |\n" +
			"  let a = new A()\n  x = a.n\n",
		Right: "cdpor: 1\nshared: {x: int}\nactors:\n  A: {fields: {n: int}, methods: {m(): n = 1}}\nmain: |\n" +
			"  let a = new A()\n  a!m()\n",
		Formats: []string{"a message to an actor names a method", "the fields of an actor are its own",
			"only methods of self can be called, as a statement or after =",
			"the methods %s and %s take different parameters"}},
	{Code: "E413", Title: "a function does not know who calls it",
		Text: "self means the process that runs the code. A function has only its parameters: give it self as one.",
		Wrong: "cdpor: 1\nshared: {x: int}\nfunctions:\n  next() int: return self + 1\nthreads:\n" +
			"  p: {count: 2, run: x = next()}\n",
		Right: "cdpor: 1\nshared: {x: int}\nfunctions:\n  next(of int) int: return of + 1\nthreads:\n" +
			"  p: {count: 2, run: x = next(self)}\n",
		Formats: []string{"a function does not know who calls it"}},
	{Code: "E414", Title: "mailboxes are written by sending and read by receiving",
		Text: "A mailbox belongs to its thread: others send to it, t!x, and the thread " +
			"itself receives. A case of receive looks at the message and at " +
			"variables of its own thread only. Properties and observe may look into mailboxes.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: {mailbox: int, run: \"receive { case m { x = m } }\"}\n" +
			"  q: |\n    p!1\n    if p.mailbox.empty() { x = 2 }\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: {mailbox: int, run: \"receive { case m { x = m } }\"}\n" +
			"  q: p!1\ncheck: {final: [p.mailbox.empty()]}\n",
		Formats: []string{"this thread has no mailbox", "an actor has no mailbox", "%s is no thread with a mailbox",
			"a mailbox can be read only by properties", "whether a case wants a message cannot depend on shared data",
			"this case is never reached: the one before takes any message",
			"this may be %s or %s, which take different messages", "%s is a thread with a mailbox"}},
	{Code: "E415", Title: "a property that cannot be checked after every step",
		Text: "check.always and check.transition are looked at by the steps themselves, which know the shared " +
			"variables and nothing of other threads. old(e) is the value before the step, in " +
			"check.transition only.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x = 1\ncheck: {always: [old(x) <= x]}\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x = 1\ncheck: {transition: [old(x) <= x]}\n",
		Formats: []string{"a property of every state cannot be about the variables of a thread",
			"a property of every state cannot ask threads",
			"old(...) is for check.transition: the value before a step",
			"there is nothing in old(...) that a step could change"}},
	{Code: "E416", Title: "who may crash",
		Text: "The section crashes says how many threads may crash in one execution and, in of, which: threads " +
			"that run " +
			"from the start. Threads do not know who has crashed: properties ask t.crashed.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  node: {count: 2, run: x += 1}\ncrashes: {of: nodes}\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads:\n  node: {count: 2, run: x += 1}\ncrashes: {of: node}\n",
		Formats: []string{"%s is no thread that may crash", "%s is twice among the threads that may crash",
			"%d threads may crash; it may be %d at most", "a count of %d crashes: it must be from 0 to %d",
			"a thread cannot be called %s beside the section of that name",
			"%s is started by spawn, and only threads that run from the start can crash",
			"only properties can ask whether a thread has crashed",
			"data races are not looked for where threads crash"}},
}

var operationDiagnostics = []*Diagnostic{
	{Code: "E501", Title: "an operation that the specification does not have",
		Text: "An operation is compared with the one of the same name in spec, so it has the same arguments, and a " +
			"result of the same type or none.",
		Wrong: "cdpor: 1\nshared: {x: int}\nspec: {state: {n: int}, operations: {f(): n = 1}}\n" +
			"threads: {p: \"op f() { x = 1 }; op g() { x = 2 }\"}\n",
		Right: "cdpor: 1\nshared: {x: int}\nspec: {state: {n: int}, operations: {f(): n = 1, g(): n = 2}}\n" +
			"threads: {p: \"op f() { x = 1 }; op g() { x = 2 }\"}\n",
		Formats: []string{"there is no specification that says what the operation %s does",
			"the specification has no operation %s",
			"operation %s has %s in the specification, not %d", "operation %s has no result in the specification",
			"operation %s has a result of type %s in the specification"}},
	{Code: "E502", Title: "an operation where none can be",
		Text: "An operation starts and ends in one process: op stands in front of the call of a procedure, or of a " +
			"name with a block that has the code. Operations " +
			"are not inside each other, and the result is in a variable of the thread.",
		Wrong: "cdpor: 1\nshared: {x: int}\nspec: {state: {n: int}, operations: {f(): n = 1}}\n" +
			"threads: {p: \"op f() { op f() { x = 1 } }\"}\n",
		Right: "cdpor: 1\nshared: {x: int}\nspec: {state: {n: int}, operations: {f(): n = 1}}\n" +
			"threads: {p: \"op f() { x = 1 }\"}\n",
		Formats: []string{"an operation in a function: it has no effects", "operation %s inside of operation %s",
			"%s is no procedure that can be performed as an operation",
			"a procedure is called as a statement, or as everything after = or return",
			"the result of an operation is in a variable of the thread"}},
	{Code: "E503", Title: "more operations than can be recorded",
		Text: "Each process has a log of its operations, and how long that can be must be known. It follows from " +
			"loops like for i in 1..3; for others " +
			"bounds: {operations: N} says it.",
		Wrong: "cdpor: 1\nshared: {x: int}\nspec: {state: {n: int}, operations: {f(): n = 1}}\n" +
			"threads: {p: \"while x < 2 { op f() { x += 1 } }\"}\n",
		Right: "cdpor: 1\nbounds: {operations: 2}\nshared: {x: int}\nspec: {state: {n: int}, operations: {f(): n = " +
			"1}}\nthreads: {p: \"while x < 2 { op f() { x += 1 } }\"}\n",
		Formats: []string{"this operation is in a loop that goes round an unknown number of times",
			"the thread may perform more than %d operations"}},
	{Code: "E504", Title: "a specification that is none",
		Text: "A specification says what operations do when they follow one another: state has its variables, " +
			"operations what each does. It says something about a " +
			"program only if threads perform some of its operations.",
		Wrong: "cdpor: 1\nshared: {x: int}\nspec: {state: {n: int}, operations: {f(): n = 1}}\nthreads: {p: x = 1}\n",
		Right: "cdpor: 1\nshared: {x: int}\nspec: {state: {n: int}, operations: {f(): n = 1}}\n" +
			"threads: {p: \"op f() { x = 1 }\"}\n",
		Formats: []string{"the specification has no operations",
			"a specification has no use for a %s: its operations follow one another",
			"operation %s may end without return",
			"no thread performs an operation of the specification"}},
}

var remarkDiagnostics = []*Diagnostic{
	{Code: "W001", Title: "shared data is read and written in one step",
		Text: "By default a statement is one step, so x = x + 1 cannot lose an update, as it could on a machine. Say " +
			"atomic { } or take a lock if that is meant, or see " +
			"with --atomicity access what can happen.",
		Wrong:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: {count: 2, run: x += 1}\n",
		Right:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: {count: 2, run: \"atomic { x += 1 }\"}\n",
		Formats: []string{"%s reads and writes shared data in one step"}},
	{Code: "W002", Title: "a declaration that nothing uses",
		Text:    "Perhaps another name was meant; otherwise it can go.",
		Wrong:   "cdpor: 1\nshared: {x: int, y: int}\nthreads:\n  p: x = 1\nobserve: [x]\n",
		Right:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: x = 1\nobserve: [x]\n",
		Formats: []string{"no thread uses %s", "nothing uses %s"}},
	{Code: "W003", Title: "a value that is never used",
		Text:    "The variable is assigned to, but nothing ever reads it.",
		Wrong:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    var r int = x\n    x = 1\n",
		Right:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    var r int = x\n    x = r\n",
		Formats: []string{"the value of %s is never used"}},
	{Code: "W004", Title: "a condition that is decided by its types",
		Text:  "The condition is true, or false, whatever the program does, so asking it says nothing.",
		Wrong: "cdpor: 1\nshared: {x: 0..3}\nthreads:\n  p: x = 1\ncheck: {final: [x >= 0]}\n",
		Right: "cdpor: 1\nshared: {x: 0..3}\nthreads:\n  p: x = 1\ncheck: {final: [x == 1]}\n",
		Formats: []string{"no step writes what this is about: %s", "%s: %s", "this assertion cannot fail: %s",
			"this property cannot fail: %s",
			"these two values are never equal: one is outside of the type of the other"}},
	{Code: "W005", Title: "code that is never reached",
		Text: "What stands before it returns, leaves the loop or never ends.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    while x < 3 {\n      x = 3\n      break\n" +
			"      x = 2\n    }\n",
		Right:   "cdpor: 1\nshared: {x: int}\nthreads:\n  p: |\n    while x < 3 {\n      x = 3\n      break\n    }\n",
		Formats: []string{"this is never reached"}},
	{Code: "W006", Title: "a mailbox that is used in one direction only",
		Text: "Messages that are never received stay where they are, and a receive without a sender waits for " +
			"ever.",
		Wrong: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: {mailbox: int, run: x = 1}\n  q: p!1\n",
		Right: "cdpor: 1\nshared: {x: int}\nthreads:\n  p: {mailbox: int, run: \"receive { case m { " +
			"x = m } }\"}\n  q: p!1\n",
		Formats: []string{"%s never receives", "nothing is sent to %s"}},
	{Code: "W007", Title: "a variable without influence",
		Text: "Threads use the variable, but no property and no observed value depends on it, and neither does " +
			"whether the program deadlocks or fails. " +
			"It costs executions all the same. cdpor slice prints the program without it; perhaps a " +
			"property was forgotten.",
		Wrong: "cdpor: 1\nshared: {x: int, hits: int}\nthreads:\n  p: {count: 2, run: \"x = self; fetch_add(hits, " +
			"1)\"}\nobserve: [x]\n",
		Right: "cdpor: 1\nshared: {x: int, hits: int}\nthreads:\n  p: {count: 2, run: \"x = self; fetch_add(hits, " +
			"1)\"}\nobserve: [x]\ncheck: {final: [hits == 2]}\n",
		Formats: []string{"%s never influences a property or what is observed"}},
	{Code: "W008", Title: "a loop that waits by going round",
		Text: "The body changes nothing that the condition reads, so only another thread can end the loop. Each " +
			"round is a step, which costs executions, and one " +
			"that never ends is no deadlock. await waits in one step until its condition holds. If no other thread " +
			"writes what the condition reads, the loop never ends " +
			"once it has begun.",
		Wrong: "cdpor: 1\nshared: {go: bool, x: int}\nthreads:\n  p: |\n    while !go { skip }\n" +
			"    x = 1\n  q: go = true\n",
		Right: "cdpor: 1\nshared: {go: bool, x: int}\nthreads:\n  p: |\n    await go\n    x = 1\n  q: go = true\n",
		Formats: []string{"this loop waits by going round: its body changes nothing that %s reads",
			"no thread writes what the condition of this loop reads: it does not end once %s holds"}},
	{Code: "W009", Title: "an operation that no thread performs",
		Text: "The specification has an operation that no thread performs, so nothing is said about it. Perhaps " +
			"op is missing in front of a call.",
		Wrong: "cdpor: 1\nshared: {x: int}\nspec: {state: {n: int}, operations: {f(): n = 1, g(): n = 2}}\n" +
			"threads: {p: \"op f() { x = 1 }\"}\ncheck: {final: [x == 1]}\n",
		Right: "cdpor: 1\nshared: {x: int}\nspec: {state: {n: int}, operations: {f(): n = 1}}\n" +
			"threads: {p: \"op f() { x = 1 }\"}\ncheck: {final: [x == 1]}\n",
		Formats: []string{"no thread performs the operation %s"}},
	{Code: "W010", Title: "a name that looks like another one",
		Text: "Letters of several scripts look alike: the Cyrillic х and the Latin x are two names, and a reader " +
			"does not see which one stands where.",
		Wrong: "cdpor: 1\nshared: {x: int, х: int}\nthreads:\n  p: {run: \"x = 1; х = 2\"}\nobserve: [x, х]\n",
		Right: "cdpor: 1\nshared: {x: int, y: int}\nthreads:\n  p: {run: \"x = 1; y = 2\"}\nobserve: [x, y]\n",
		Formats: []string{"%s looks like the name %s on line %d and is another one: its %c is U+%04X",
			"%s mixes Latin letters with some that look like them: its %c is U+%04X"}},
	{Code: "W011", Title: "a thread that ends while it holds a mutex",
		Text: "No other thread can release the mutex: the next one that locks it waits for ever. Unlock it on each " +
			"way to " +
			"the end, or write with lock m { }, which releases it however the block is left.",
		Wrong: "cdpor: 1\nshared: {m: mutex, x: int}\n" +
			"threads:\n  p: |\n    lock m\n    if x == 0 { return }\n    unlock m\n",
		Right: "cdpor: 1\nshared: {m: mutex, x: int}\n" +
			"threads:\n  p: |\n    with lock m { if x == 0 { return } }\n",
		Formats: []string{"%s ends while it holds this mutex", "%s may end while it holds this mutex"}},
	{Code: "W012", Title: "an integer that only grows",
		Text: "A loop without an end adds to an integer that nothing bounds. Each value makes another state, so no " +
			"search comes to its end. Give it a range and stop there, or count modulo a number that is larger than " +
			"what can be under way at once.",
		Wrong:   "cdpor: 1\nshared: {n: int}\nthreads:\n  p: \"while true { n += 1 }\"\n",
		Right:   "cdpor: 1\nshared: {n: 0..3}\nthreads:\n  p: \"while true { n = (n + 1) % 4 }\"\n",
		Formats: []string{"%s takes ever new values in a loop without an end"}},
	{Code: "W013", Title: "an expression that always fails",
		Text: "With the parameters as they are, the expression divides by zero, asks for an element that the array " +
			"does not have, or leaves the integers whenever it is evaluated: the run ends there with a violation. " +
			"Give the parameter another value, or ask for it before: what a condition of parameters alone leaves out " +
			"is not looked at.",
		Wrong:   "cdpor: 1\nparams: {N: 0}\nshared: {x: int}\nthreads:\n  p: x = 1 / N\n",
		Right:   "cdpor: 1\nparams: {N: 0}\nshared: {x: int}\nthreads:\n  p: if N != 0 { x = 1 / N }\n",
		Formats: []string{"this index is always out of range", "this always divides by zero", "this always fails: %s"}},
}
