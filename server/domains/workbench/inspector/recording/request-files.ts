import {
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'

import { maskText } from '../masking/names.ts'
import type { RequestRecord } from './record.ts'
import type { Ring } from './ring.ts'
import { BODY_BYTES } from './requests.ts'

/** The size in bytes at which a new file is started. The file before the previous one is removed. */
const FILE_BYTES = 16 * 1024 * 1024

/** How the inspector was switched; it stays so over restarts, and no snapshot changes it. */
export interface Switches {
  readonly recording: boolean
  /** True if requests are also kept on disk. */
  readonly kept: boolean
}

export const OFF: Switches = { recording: false, kept: false }

/** A record as a line of the file. */
interface Line extends Omit<RequestRecord, 'body' | 'answer'> {
  readonly body: string | null
  readonly answer: string | null
  /** Milliseconds since 1970. */
  readonly time: number
}

/** Requests on disk: two files of bounded size, and the switches. */
export class RequestFiles {
  readonly #folder: string
  #written: Promise<void> = Promise.resolve()

  constructor(folder: string) {
    this.#folder = folder
  }

  readSwitches(): Switches {
    const file = join(this.#folder, 'switches.json')
    if (!existsSync(file)) return OFF
    try {
      const saved = JSON.parse(readFileSync(file, 'utf8')) as Partial<Switches>
      return { recording: saved.recording === true, kept: saved.kept === true }
    } catch {
      return OFF
    }
  }

  writeSwitches(switches: Switches): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    writeFileSync(join(this.#folder, 'switches.json'), `${JSON.stringify(switches)}\n`, { mode: 0o600 })
  }

  /** Appends requests, one after the other. On a full disk they are lost. */
  append(records: readonly RequestRecord[], ring: Ring, failed: (error: unknown) => void): void {
    const text = records.map((record) => `${JSON.stringify(lineOf(record, ring))}\n`).join('')
    this.#written = this.#written.then(() => this.#write(text)).catch(failed)
  }

  async #write(text: string): Promise<void> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const file = join(this.#folder, 'requests.jsonl')
    if (existsSync(file) && statSync(file).size + text.length > FILE_BYTES)
      renameSync(file, join(this.#folder, 'earlier.jsonl'))
    await appendFile(file, text, { mode: 0o600 })
  }

  /** Reads the kept requests into a ring; lines that cannot be read are left out. Returns the highest ID. */
  async read(ring: Ring): Promise<number> {
    let last = 0
    for (const name of ['earlier.jsonl', 'requests.jsonl']) {
      const file = join(this.#folder, name)
      if (!existsSync(file)) continue
      for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
        const record = recordOf(line, ring)
        if (!record) continue
        ring.add(record)
        last = Math.max(last, record.id)
      }
    }
    return last
  }

  /** Removes the kept requests. */
  clear(): void {
    this.#written = this.#written.then(() => {
      for (const name of ['earlier.jsonl', 'requests.jsonl'])
        rmSync(join(this.#folder, name), { force: true })
    })
  }

  /** Resolves when everything is written. */
  written(): Promise<void> {
    return this.#written
  }
}

function lineOf(record: RequestRecord, ring: Ring): Line {
  return {
    ...record,
    time: performance.timeOrigin + record.start,
    body: maskedText(ring.text(record.body)),
    answer: maskedText(ring.text(record.answer)),
  }
}

/** Texts that users write may contain tokens. */
function maskedText(text: string | undefined): string | null {
  return text === undefined ? null : maskText(text)
}

function recordOf(text: string, ring: Ring): RequestRecord | undefined {
  try {
    const { body, answer, time, ...rest } = JSON.parse(text) as Line
    if (!Number.isSafeInteger(rest.id) || !Array.isArray(rest.statements) || !Array.isArray(rest.jobs))
      return undefined
    const put = (entry: string | null) =>
      entry === null ? null : ring.arena.put(entry, Buffer.byteLength(entry), BODY_BYTES, () => undefined)
    // The beginning is counted from the start of this process.
    return {
      ...rest,
      state: 'held',
      start: time - performance.timeOrigin,
      body: put(body),
      answer: put(answer),
    }
  } catch {
    return undefined
  }
}
