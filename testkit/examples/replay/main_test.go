package main

func Example() {
	main()
	// Output:
	// default: "Are you there?"
	// default: "OK"
	// default: "OK"
	// default: 3 of 3, 0 missed, 0 doubled
	// seed: "Are you there?"
	// seed: 1 of 3, 2 missed, 0 doubled
}
