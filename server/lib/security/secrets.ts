import type { KeyObject } from 'node:crypto'

import type { Purpose } from './sealed-columns.ts'
import { makeKey, openWith, readKey, sealWith, VERSION } from './sealing.ts'

/**
 * Seals secrets in the database: CI variables, files, credentials for other hosts. The key is a file next to the
 * database, so a copy of the database alone reveals nothing (quality.md "Security").
 */
export class Secrets {
  readonly #file: string
  #key: KeyObject | undefined

  /** `file` contains the key; it is created with the first sealed value. */
  constructor(file: string) {
    this.#file = file
  }

  /**
   * Seals a text or bytes for one purpose, such as `ci_variables.value`. It only opens for that purpose, so a sealed
   * value cannot be moved to another column.
   */
  seal(plain: string | Buffer, purpose: Purpose): string {
    this.#key ??= readKey(this.#file) ?? makeKey(this.#file)
    return sealWith(this.#key, plain, purpose)
  }

  /**
   * Opens what was sealed for that purpose. Throws a plain sentence if the text was sealed with another key or was
   * changed.
   */
  open(sealed: string, purpose: Purpose): Buffer {
    this.#key ??= readKey(this.#file)
    if (!this.#key) throw new Error(`The key of this instance's secrets is missing: ${this.#file}.`)
    if (!sealed.startsWith(VERSION)) throw new Error('A secret is encrypted in an unknown way.')
    const plain = openWith(this.#key, sealed, purpose)
    if (!plain) throw new Error(`A secret cannot be decrypted with the key in ${this.#file}.`)
    return plain
  }
}
