package main

func Example() {
	main()
	// Output:
	// Hana: おはよう！
	// Hana: 土曜日、まだ空いてる？
}
