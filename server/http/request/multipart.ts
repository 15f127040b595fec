import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'

import { fail, type Failure } from '../../lib/fail.ts'
import { storageProblem } from '../../lib/files/storage-problem.ts'
import { markReceived } from './upload.ts'
import type { UploadedFile } from '../../lib/files/uploaded-file.ts'

/** The limits and the temporary folder for one multipart body. */
export interface MultipartOptions {
  /** The maximum of all texts together, in bytes. */
  readonly maxBytes: number
  /** The maximum of one file, in bytes. The maximum of the whole body is this plus `maxBytes`. */
  readonly maxFileBytes: number
  /** The sentence for a larger file, if it differs from the default. */
  readonly tooLarge?: string | undefined
  readonly tmpDir: string
  /** Creates the ids in the names of temporary files. */
  readonly newId: () => string
}

/** The parts of a body: texts and received files in order, each with the name of its field. */
export interface Parts {
  readonly pairs: readonly (readonly [string, unknown])[]
  readonly files: readonly UploadedFile[]
}

class StorageError extends Error {
  constructor(cause: unknown) {
    super('The upload could not be stored.', { cause })
  }
}

const malformed = (): Failure => fail('parameter', 'message body does not match declared format')

/** Writes one part to the temporary folder, and counts and hashes its bytes. Removes the file on failure. */
async function saveFile(
  stream: Readable,
  name: { filename: string; type: string },
  options: MultipartOptions,
): Promise<UploadedFile> {
  const path = join(options.tmpDir, `upload-${options.newId()}`)
  const digest = createHash('sha256')
  let size = 0
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      digest.update(chunk)
      done(null, chunk)
    },
  })
  // A clean-up program may have removed the temporary folder.
  await mkdir(options.tmpDir, { mode: 0o700 }).catch(() => undefined)
  const disk = createWriteStream(path, { flags: 'wx' })
  let storageError: Error | undefined
  disk.once('error', (error) => (storageError = new StorageError(error)))
  try {
    await pipeline(stream, meter, disk)
  } catch (error) {
    await rm(path, { force: true })
    throw storageError ?? error
  }
  // The client's file name may be a path. Only its last segment is stored.
  const filename = name.filename.split(/[\\/]/).at(-1) ?? ''
  return markReceived({ filename, type: name.type, path, size, sha256: digest.digest('hex') })
}

function openMultipart(request: IncomingMessage, options: MultipartOptions): BusboyInstance {
  try {
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      limits: {
        fieldSize: options.maxBytes,
        fields: 4096,
        fileSize: options.maxFileBytes,
        files: 20,
        parts: 4200,
        headerPairs: 100,
      },
    })
  } catch {
    throw malformed()
  }
}

/**
 * Streams a multipart body: texts to memory, files to disk. Stops at the first problem (400, 413, 503), discards the
 * rest of the body so that the answer arrives, and leaves no file behind.
 */
export async function readParts(request: IncomingMessage, options: MultipartOptions): Promise<Parts> {
  const busboy = openMultipart(request, options)
  const pairs: [string, unknown][] = []
  const files: UploadedFile[] = []
  const fileStreams = new Set<Readable>()
  const writes: Promise<void>[] = []
  let problem: Failure | undefined
  const parsing = new Promise<void>((resolve, reject) => {
    const refuse = (failure: Failure): void => reject((problem ??= failure))
    const tooLarge = (): void => refuse(fail('too_large', options.tooLarge))
    let textBytes = 0
    busboy.on('field', (name, value, isNameCut, isValueCut) => {
      textBytes += name.length + value.length
      if (isNameCut || isValueCut || textBytes > options.maxBytes) return tooLarge()
      pairs.push([name, value])
    })
    busboy.on('file', (name, stream, filename, _encoding, type) => {
      fileStreams.add(stream)
      // Busboy reports an aborted body on the file, too; the error of the body is enough.
      stream.on('error', () => undefined).on('limit', tooLarge)
      const saved = saveFile(stream, { filename, type }, options).then(
        (file) => {
          files.push(file)
          pairs.push([name, file])
        },
        (error: Error) =>
          refuse(
            error instanceof StorageError
              ? (storageProblem(error) ?? fail('unavailable', error.message))
              : malformed(),
          ),
      )
      writes.push(saved)
    })
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) busboy.on(limit, tooLarge)
    busboy.once('finish', resolve).once('error', () => refuse(malformed()))
    // A complete request closes too, perhaps before its files are written.
    request.once('close', () => (request.complete ? undefined : reject(malformed())))
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > options.maxBytes + options.maxFileBytes) tooLarge()
    })
    request.pipe(busboy)
  })
  try {
    await parsing
    await Promise.all(writes)
    if (problem) throw problem
    return { pairs, files }
  } catch (error) {
    request.unpipe(busboy)
    request.resume()
    for (const stream of fileStreams) stream.destroy(new Error('The body was rejected.'))
    await Promise.all(writes)
    await discardFiles(files)
    throw error
  }
}

/** Removes the temporary files that were not moved elsewhere. */
export async function discardFiles(files: readonly UploadedFile[]): Promise<void> {
  await Promise.all(files.map((file) => rm(file.path, { force: true })))
}
