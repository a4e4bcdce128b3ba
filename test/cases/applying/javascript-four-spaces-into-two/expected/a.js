export class A {
  run(list) {
    for (const each of list) {
      if (each) {
        console.log(each);
      }
    }
  }
}
