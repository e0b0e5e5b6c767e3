package main

func Example() {
	main()
	// Output:
	// 1 message, 5 characters
}
