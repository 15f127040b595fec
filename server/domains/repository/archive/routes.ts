import { Readable } from 'node:stream'

import { disposition } from '../../../http/answer/content.ts'
import { endpoint, type Exchange } from '../../../http/endpoint.ts'
import { bool, text } from '../../../http/params.ts'
import { raw, type RawAnswer } from '../../../http/returns.ts'
import { Failure } from '../../../lib/fail.ts'
import { abilities, project } from '../../projects/index.ts'
import { findArchive, FORMATS, type Archive } from './service.ts'

const params = {
  sha: text({ max: 1100 }).optional().describe('Branch, tag or commit id (default: the default branch)'),
  path: text({ max: 4096 }).optional().describe('Limit to this file or folder'),
  include_lfs_blobs: bool().default(true).describe('Include LFS objects instead of their pointers'),
}

/** Five requests a minute for each project (spec core 8.8). */
const limit = {
  max: 5,
  per: 60,
  what: 'This archive',
  by: ({ params: given }: { params: Readonly<Record<string, unknown>> }) => String(given['id']),
}

const shared = {
  scope: project,
  can: abilities.read_code,
  limit,
  fails: {
    400: 'The path is invalid',
    406: 'The format does not exist, or a page of another site requests the archive',
    429: 'This archive has been requested too many times',
  },
  returns: raw,
}

/** Checks the name of a format. Throws 406 for an unknown one. */
function checkedFormat(format: string): string {
  if (FORMATS.includes(format)) return format
  const error = `The requested format '${format}' is not supported.`
  throw new Failure('not_acceptable', undefined, { body: { error } })
}

/** Throws 406 if a page of another site loads an archive without a click. Links to an archive are allowed. */
function refuseHotlinks(http: Exchange): void {
  const isEmbedded = ['no-cors', 'cors', 'websocket'].includes(http.header('sec-fetch-mode'))
  if (isEmbedded && http.header('sec-fetch-site') === 'cross-site') throw new Failure('not_acceptable')
}

/** Answers with the archive, or with 304 if the client already has it. */
async function answerOf(archive: Archive, http: Exchange): Promise<RawAnswer> {
  const headers = { ETag: archive.etag, 'Cache-Control': 'private, no-cache' }
  if (http.header('if-none-match') === archive.etag) {
    return { type: archive.type, body: '', status: 304, headers }
  }
  return {
    type: archive.type,
    body: http.method === 'HEAD' ? Readable.from([]) : await archive.open(http.signal),
    headers: {
      ...headers,
      'Content-Disposition': disposition('attachment', archive.file_name),
      'Content-Transfer-Encoding': 'binary',
    },
  }
}

export const showArchive = endpoint('GET /projects/:id/repository/archive', {
  summary: 'Get an archive of the repository',
  ...shared,
  params: {
    ...params,
    format: text({ max: 20 }).default('tar.gz').describe('Format of the archive, such as `zip`'),
  },
  run: async ({ project: owner, params: given, http, ...ctx }) => {
    refuseHotlinks(http)
    return answerOf(await findArchive(ctx, owner, { ...given, format: checkedFormat(given.format) }), http)
  },
})

export const showArchiveOf = endpoint('GET /projects/:id/repository/archive.:format', {
  summary: 'Get an archive of the repository in a format',
  ...shared,
  params: { ...params, format: text({ max: 20 }).describe(`One of ${FORMATS.join(', ')}`) },
  run: async ({ project: owner, params: given, http, ...ctx }) => {
    refuseHotlinks(http)
    return answerOf(await findArchive(ctx, owner, { ...given, format: checkedFormat(given.format) }), http)
  },
})
