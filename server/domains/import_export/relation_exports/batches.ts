import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'

/** The name of one of the files that a relation is cut into. */
export const batchFile = (file: string, number: number): string =>
  join(dirname(file), `${number}-${basename(file)}`)

/** Cuts a packed file of lines into packed files of so many lines each; gives their number. The whole one goes. */
export async function cutIntoBatches(file: string, size: number): Promise<number> {
  if (!file.endsWith('.ndjson.gz')) {
    await copyFile(file, batchFile(file, 1))
    await rm(file)
    return 1
  }
  const source = createReadStream(file)
  const unpacked = createGunzip()
  source.once('error', (error) => unpacked.destroy(error)).pipe(unpacked)
  const lines = createInterface({ input: unpacked, crlfDelay: Infinity })[Symbol.asyncIterator]()
  let number = 0
  let next = await lines.next()
  while (!next.done || number === 0) {
    number++
    const batch = async function* (): AsyncGenerator<string> {
      for (let count = 0; count < size && !next.done; count++) {
        yield `${next.value}\n`
        next = await lines.next()
      }
    }
    const packed = Readable.from(batch(), { objectMode: false })
    await pipeline(packed, createGzip(), createWriteStream(batchFile(file, number), { mode: 0o600 }))
  }
  await rm(file)
  return number
}
