/** The answer of cat-file about one object; null for "missing" and "ambiguous". `content` is empty for `info`. */
export type CatFileAnswer = {
  readonly oid: string
  readonly type: string
  readonly size: number
  readonly content: Buffer
} | null

type ObjectAnswer = Exclude<CatFileAnswer, null>

interface CatFileRequest {
  readonly name: string
  readonly wantsContent: boolean
}

const HEADER = /^([0-9a-f]{40,64}) (commit|tree|blob|tag) (\d+)$/
const OBJECT_ID = /^[0-9a-f]{40,64}$/
const NOTHING = Buffer.alloc(0)
const LINE_FEED = 10

/**
 * Splits the output of `cat-file --batch-command` into answers. Large contents are joined once, at their end. After an
 * answer that does not match its request, `isOutOfSync` stays true and nothing more is parsed.
 */
export class CatFileParser {
  #chunks: Buffer[] = []
  #size = 0
  #header: ObjectAnswer | null = null
  #isOutOfSync = false

  get isOutOfSync(): boolean {
    return this.#isOutOfSync
  }

  /**
   * Returns the answers that `chunk` completes.
   *
   * @param requestAt returns the open request with this index
   */
  push(chunk: Buffer, requestAt: (index: number) => CatFileRequest | undefined): CatFileAnswer[] {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    const answers: CatFileAnswer[] = []
    while (this.#size > 0 && !this.#isOutOfSync) {
      const request = requestAt(answers.length)
      if (request === undefined) this.#isOutOfSync = true
      const answer = request === undefined ? undefined : this.#next(request)
      if (answer === undefined) break
      answers.push(answer)
    }
    return answers
  }

  #next(request: CatFileRequest): CatFileAnswer | undefined {
    if (this.#header === null) {
      const line = this.#takeLine()
      if (line === null) return undefined
      if (line === `${request.name} missing` || line === `${request.name} ambiguous`) return null
      const header = readHeader(line, request)
      if (header === null) this.#isOutOfSync = true
      if (header === null || !request.wantsContent) return header ?? undefined
      this.#header = header
    }
    const { size } = this.#header
    if (this.#size < size + 1) return undefined
    const content = this.#take(size + 1)
    if (content[size] !== LINE_FEED) {
      this.#isOutOfSync = true
      return undefined
    }
    const answer = { ...this.#header, content: content.subarray(0, size) }
    this.#header = null
    return answer
  }

  #takeLine(): string | null {
    const last = this.#chunks.at(-1)
    if (last === undefined || (this.#chunks.length > 1 && !last.includes(LINE_FEED))) return null
    const data = this.#join()
    const end = data.indexOf(LINE_FEED)
    return end === -1 ? null : this.#take(end + 1).toString('utf8', 0, end)
  }

  #take(length: number): Buffer {
    const data = this.#join()
    this.#chunks = length === data.length ? [] : [data.subarray(length)]
    this.#size -= length
    return data.subarray(0, length)
  }

  #join(): Buffer {
    const [first] = this.#chunks
    if (first !== undefined && this.#chunks.length === 1) return first
    const data = Buffer.concat(this.#chunks, this.#size)
    this.#chunks = [data]
    return data
  }
}

function readHeader(line: string, request: CatFileRequest): ObjectAnswer | null {
  const match = HEADER.exec(line)
  if (match === null) return null
  if (OBJECT_ID.test(request.name) && request.name !== match[1]) return null
  return { oid: match[1]!, type: match[2]!, size: Number(match[3]), content: NOTHING }
}
