import type { Purpose } from './sealed-columns.ts'
import { makeKey, openWith, readKey, sealWith, VERSION } from './sealing.ts'

/**
 * Seals what the database keeps but must not tell: variables of pipelines, files, credentials of other hosts. The key is
 * a file of the data folder beside the database, so that a copy of the database alone says nothing (quality.md
 * "Security").
 */
export class Secrets {
  readonly #file: string
  #key: Buffer | undefined

  /** `file` is where the key is; it is made when something is sealed for the first time. */
  constructor(file: string) {
    this.#file = file
  }

  /**
   * Seals a text or bytes for one purpose, as `ci_variables.value`; it opens for that purpose only, so that a sealed value
   * cannot be carried from one column to another.
   */
  seal(plain: string | Buffer, purpose: Purpose): string {
    this.#key ??= readKey(this.#file) ?? makeKey(this.#file)
    return sealWith(this.#key, plain, purpose)
  }

  /** Opens what was sealed for that purpose. Throws a plain sentence when the key is another one or the text was changed. */
  open(sealed: string, purpose: Purpose): Buffer {
    this.#key ??= readKey(this.#file)
    if (!this.#key) throw new Error(`The key of this instance's secrets is missing: ${this.#file}.`)
    if (!sealed.startsWith(VERSION)) throw new Error('A secret was sealed in a way that is not known.')
    const plain = openWith(this.#key, sealed, purpose)
    if (!plain) throw new Error(`A secret does not open with the key in ${this.#file}.`)
    return plain
  }
}
