import { Arena, type Slot } from './arena.ts'
import type { RequestRecord } from './record.ts'

/** Bounds of the ring. */
export interface RingLimits {
  readonly requests: number
  /** Memory of bodies. */
  readonly bodyBytes: number
  /** The estimated memory of a record without its bodies. */
  readonly recordBytes: number
}

export const RING_LIMITS: RingLimits = {
  requests: 2000,
  bodyBytes: 22 * 1024 * 1024,
  recordBytes: 10 * 1024 * 1024,
}

/** The latest requests, oldest first. New requests replace the oldest. */
export class Ring {
  readonly #limits: RingLimits
  /** The entries of the ring; the next request becomes `#next`. */
  #records: (RequestRecord | undefined)[]
  #next = 0
  #size = 0
  readonly #byCause = new Map<string, RequestRecord>()
  #arena: Arena
  readonly #mask: (record: RequestRecord) => void
  #bytes = 0
  #revision = 0

  /** `mask` masks the secrets of a record, before anything reads it and not while its client waits. */
  constructor(mask: (record: RequestRecord) => void, limits: RingLimits = RING_LIMITS) {
    this.#mask = mask
    this.#limits = limits
    this.#records = Array.from({ length: limits.requests }, () => undefined)
    this.#arena = new Arena(limits.bodyBytes)
  }

  get arena(): Arena {
    return this.#arena
  }

  get bytes(): number {
    return this.#bytes
  }

  /** A number that changes with the content. */
  get revision(): number {
    return this.#revision
  }

  get size(): number {
    return this.#size
  }

  add(record: RequestRecord): void {
    if (this.#size === this.#records.length) this.#dropOldest()
    this.#records[this.#next] = record
    this.#next = (this.#next + 1) % this.#records.length
    this.#size++
    this.#revision++
    record.state = 'held'
    this.#bytes += record.bytes
    while (this.#bytes > this.#limits.recordBytes && this.#size > 0) this.#dropOldest()
  }

  /** Adds to the estimated memory of a record. */
  addBytes(record: RequestRecord, bytes: number): void {
    record.bytes += bytes
    if (record.state === 'held') this.#bytes += bytes
  }

  /** Registers a request by its cause, so that later jobs find it. */
  registerCause(record: RequestRecord): void {
    this.#byCause.set(record.cause, record)
  }

  byCause(cause: string): RequestRecord | undefined {
    return this.#byCause.get(cause)
  }

  get(id: number): RequestRecord | undefined {
    return this.clean(this.#records.find((record) => record?.id === id))
  }

  byRequestId(id: string): RequestRecord | undefined {
    return this.clean(this.#records.find((record) => record?.request_id === id))
  }

  oldestFirst(): RequestRecord[] {
    const records = [...this.#records.slice(this.#next), ...this.#records.slice(0, this.#next)]
    return records.filter((record) => this.clean(record) !== undefined) as RequestRecord[]
  }

  /** Masks the secrets of a record, unless it was done before. Returns the same record. */
  clean(record: RequestRecord | undefined): RequestRecord | undefined {
    if (record && !record.isClean) {
      this.#mask(record)
      record.isClean = true
    }
    return record
  }

  text(slot: Slot | null): string | undefined {
    return slot === null ? undefined : this.#arena.read(slot)
  }

  clear(): void {
    this.#revision++
    for (const record of this.#records) if (record) record.state = 'dropped'
    this.#records = this.#records.map(() => undefined)
    this.#next = 0
    this.#size = 0
    this.#byCause.clear()
    this.#bytes = 0
    this.#arena = new Arena(this.#limits.bodyBytes)
  }

  #dropOldest(): void {
    const { length } = this.#records
    const oldest = (this.#next - this.#size + length) % length
    const record = this.#records[oldest]
    this.#records[oldest] = undefined
    this.#size--
    if (!record) return
    record.state = 'dropped'
    this.#bytes -= record.bytes
    // Most requests store no jobs and are not registered.
    if (record.planned.length > 0 && this.#byCause.get(record.cause) === record)
      this.#byCause.delete(record.cause)
  }
}
