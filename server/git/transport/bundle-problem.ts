/** What is wrong with a bundle, in a sentence for whoever sent it. */
export class BundleProblem extends Error {
  override readonly name = 'BundleProblem'
}
