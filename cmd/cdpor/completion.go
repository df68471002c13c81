package main

import (
	"io"
	"strings"

	kongcompletion "github.com/jotaen/kong-completion"
	predict "github.com/posener/complete"

	"cdpor/cmd/cdpor/internal/compare"
	"cdpor/cmd/cdpor/internal/examples"
	"cdpor/cmd/cdpor/internal/explain"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/lang"
)

// completeLine answers a shell that asks in COMP_LINE how a command line may go on.
func completeLine(to io.Writer) error {
	parser, err := newParser(&commandLine{}, commands(), nil, to, to)
	if err != nil {
		return err
	}
	kongcompletion.Register(parser, kongcompletion.WithPredictors(predictors()))
	return nil
}

// predictors are the values of the tag predictor: what may stand as the value of a flag or as an argument.
func predictors() map[string]predict.Predictor {
	all := map[string]predict.Predictor{"file": predict.PredictFiles("*"), "dir": predict.PredictDirs("*")}
	for name, list := range wordLists() {
		all[name] = predict.PredictFunc(func(a predict.Args) (found []string) {
			before := a.Last[:strings.LastIndexByte(a.Last, ',')+1] // the words before, in a list with commas
			for _, word := range list() {
				found = append(found, before+word)
			}
			return found
		})
	}
	return all
}

// wordLists are those of words that the command line knows.
func wordLists() map[string]func() []string {
	return map[string]func() []string{
		"algorithms": flags.AlgorithmNames,
		"variants": func() (names []string) {
			for _, v := range compare.Variants() {
				names = append(names, v.Name)
			}
			return names
		},
		"columns": compare.ColumnNames,
		"explained": func() (names []string) {
			names = append(flags.AlgorithmNames(), explain.AllAlgorithms)
			for _, d := range lang.Diagnostics() {
				names = append(names, d.Code)
			}
			return names
		},
		"examples": func() (names []string) {
			list, err := examples.All()
			if err != nil {
				return nil
			}
			for _, x := range list {
				names = append(names, x.Name)
			}
			return names
		},
	}
}
