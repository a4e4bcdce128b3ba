export class A {
  run(list) {
    for (const each of list) {
      console.log(each);
    }
  }
}
