/** Something of the other host cannot be taken over; the sentence is for people. The rest goes on. */
export class CannotLand extends Error {
  /** What lists of failures call it, as clients of this API family know it. */
  readonly exceptionClass: string

  constructor(sentence: string, exceptionClass = 'ActiveRecord::RecordInvalid') {
    super(sentence)
    this.name = 'CannotLand'
    this.exceptionClass = exceptionClass
  }
}
