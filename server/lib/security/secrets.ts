import type { KeyObject } from 'node:crypto'

import type { Purpose } from './sealed-columns.ts'
import { createKey, openWith, readKey, sealWith, VERSION } from './sealing.ts'

/**
 * Seals (encrypts) secrets in the database: CI variables, files, credentials for other hosts. The key is a file next to
 * the database, so a copy of the database alone reveals no secret.
 */
export class Secrets {
  readonly #file: string
  #key: KeyObject | undefined

  /** `file` contains the key; it is created with the first sealed value. */
  constructor(file: string) {
    this.#file = file
  }

  /**
   * Encrypts a text or bytes for one purpose, such as `ci_variables.value`. The value can only be decrypted for the same
   * purpose, so it cannot be moved to another column.
   */
  seal(plain: string | Buffer, purpose: Purpose): string {
    this.#key ??= readKey(this.#file) ?? createKey(this.#file)
    return sealWith(this.#key, plain, purpose)
  }

  /**
   * Decrypts a value that was sealed for the purpose. Throws if it was sealed with another key or was changed.
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
