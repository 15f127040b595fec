import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'

import { writeDurably } from './durable-file.ts'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** In front of everything sealed, so that another way of sealing can be told from this one. */
const VERSION = 'v1:'

/**
 * Seals what the database keeps but must not tell: variables of pipelines, files, credentials of other hosts. The key is
 * a file of the data folder beside the database, so that a copy of the database alone says nothing (quality.md
 * "Security"). Nonces come from the machine, whatever the instance draws its tokens from: one used twice would give the
 * key away.
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
  seal(plain: string | Buffer, purpose: string): string {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, this.#keyOrNew(), nonce).setAAD(Buffer.from(purpose))
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
    return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
  }

  /** Opens what was sealed for that purpose. Throws a plain sentence when the key is another one or the text was changed. */
  open(sealed: string, purpose: string): Buffer {
    const key = this.#keyThere()
    if (!key) throw new Error(`The key of this instance's secrets is missing: ${this.#file}.`)
    if (!sealed.startsWith(VERSION)) throw new Error('A secret was sealed in a way that is not known.')
    const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64')
    try {
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(purpose))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
    } catch {
      throw new Error(`A secret does not open with the key in ${this.#file}.`)
    }
  }

  #keyThere(): Buffer | undefined {
    if (this.#key) return this.#key
    try {
      const key = Buffer.from(readFileSync(this.#file, 'utf8').trim(), 'base64')
      if (key.length !== KEY_BYTES) throw new Error(`The key in ${this.#file} is damaged.`)
      this.#key = key
      return key
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  #keyOrNew(): Buffer {
    const present = this.#keyThere()
    if (present) return present
    const made = randomBytes(KEY_BYTES)
    // Never half a key, and none that a power cut takes back: what is sealed with it outlives that.
    writeDurably(this.#file, `${made.toString('base64')}\n`)
    this.#key = made
    return made
  }
}
