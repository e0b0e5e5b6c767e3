package main

func Example() {
	main()
	// Output:
	// 3 events are new
	// 0 events are new
	// What is wrong with the bicycle?
	//   2026-03-02, Anna: The blue bicycle squeaks when I brake.
	// Who picks it up?
	//   2026-03-02, Anna: Thursday is fine. My brother picks it up.
}
