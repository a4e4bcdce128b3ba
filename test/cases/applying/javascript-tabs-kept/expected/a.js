function run(list) {
	if (!list) {
		return 0;
	}
}
