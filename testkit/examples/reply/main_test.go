package main

func Example() {
	main()
	// Output:
	// user: When and where do we meet?
	// assistant: At nine, at the station.
	// user: Do you have the tickets?
	// assistant: Yes, for both of us.
}
