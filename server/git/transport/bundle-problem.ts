/** A bundle cannot be imported. The message is a sentence for the user who sent it. */
export class BundleProblem extends Error {
  override readonly name = 'BundleProblem'
}
