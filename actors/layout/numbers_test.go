package layout

import (
	"reflect"
	"testing"
)

// TestNumbersOfTheBuiltIn pins every number of the built-in layouts, but not their
// words.
func TestNumbersOfTheBuiltIn(t *testing.T) {
	white := func(least int) Grey { return Grey{Min: least, Max: 255, Spread: 17} }
	day, night := Range{Min: 96, Max: 255}, Range{Min: 0, Max: 95}
	green, darkGreen := Green{Min: 130, OverRed: 8, OverBlue: 12}, Green{Min: 60, OverRed: 16, OverBlue: 12}
	line := Layout{
		Name: "line", Pane: Pane{Left: 365, When: PaneAtEdge},
		Header:    Header{Height: 52, Title: Box{X: 12, Y: 4, W: -120, H: 70}},
		Strip:     Strip{Width: 3, FromRight: 38, Ratio: 0.045, Agree: 2},
		Separator: Separator{MinRows: 8, RowsDivisor: 120, ScanTo: 0.55, CutFrom: 0.78},
		OwnRows:   OwnRows{Rule: RuleFullWidth, Pixels: 10, Expand: 3},
		Bubble: Bubble{MinWidth: 26, MinHeight: 26, MaxWidth: 0.86, MinFill: 0.35, Avatars: 48, LeftWithin: 96,
			RightWithin: 48, Picture: 64, Timestamp: 64},
		Sender: Sender{Height: 24, Within: 14},
		Kinds:  Kinds{Call: Call{Indent: 24}, File: File{Indent: 24}},
		Themes: []Theme{
			{Name: "light", Brightness: day, Own: green, Incoming: Grey{Min: 236, Max: 255, Spread: 10},
				Separator: white(238)},
			{Name: "dark", Brightness: night, Own: darkGreen, Incoming: Grey{Min: 48, Max: 92, Spread: 14},
				Separator: white(232)},
		},
		Exclude: []Box{{Y: -76}, {Y: 52, W: 48, H: -76}},
	}
	generic := Layout{
		Name: "generic", Header: Header{Height: 56, Title: Box{X: 12, Y: 4, W: -120, H: 48}},
		Strip:     line.Strip,
		Separator: Separator{MinRows: 8, RowsDivisor: 120, ScanTo: 0.55, CutFrom: 0.80},
		OwnRows:   line.OwnRows,
		Bubble: Bubble{MinWidth: 24, MinHeight: 22, MaxWidth: 0.88, MinFill: 0.30, Avatars: 40, LeftWithin: 110,
			RightWithin: 72, Picture: 64, Timestamp: 64},
		Sender: line.Sender,
		Kinds:  line.Kinds,
		Themes: []Theme{
			{Name: "light", Brightness: day, Own: green, Incoming: Grey{Min: 225, Max: 255, Spread: 12},
				Separator: white(238),
				OwnColours: []Near{{R: 0, G: 132, B: 255, Off: 28}, {R: 10, G: 124, B: 255, Off: 28},
					{R: 51, G: 144, B: 236, Off: 24}}},
			{Name: "dark", Brightness: night, Own: darkGreen, Incoming: Grey{Min: 36, Max: 92, Spread: 16},
				Separator: white(232),
				OwnColours: []Near{{R: 0, G: 132, B: 255, Off: 28}, {R: 10, G: 124, B: 255, Off: 28},
					{R: 43, G: 82, B: 120, Off: 18}}},
		},
		Exclude: []Box{{Y: -64}, {Y: 56, W: 40, H: -64}},
	}
	found := generic
	found.Name, found.Find, found.Exclude = "auto", FindAuto, []Box{}
	found.Themes = []Theme{{Name: "any", Brightness: Range{0, 255}, Own: Green{Min: 255}, Separator: Grey{Max: 255}}}
	all := map[string]Layout{"line": line, "generic": generic, "auto": found}
	for _, name := range BuiltIn() {
		got, _ := ByName(name)
		if len(got.Tokens) == 0 || len(got.Kinds.Call.Tokens) == 0 || len(got.Kinds.File.Suffixes) == 0 ||
			len(got.Marks.Dates) == 0 {
			t.Errorf("ByName(%s) lacks words, want some of each kind", name)
		}
		got.Kinds = Kinds{Call: Call{Indent: got.Kinds.Call.Indent}, File: File{Indent: got.Kinds.File.Indent}}
		got.Marks, got.Tokens, got.Names, got.Me = Marks{}, nil, nil, nil
		if want := all[name]; !reflect.DeepEqual(got, want) {
			t.Errorf("ByName(%s) = %+v, want %+v", name, got, want)
		}
	}
}
