import { Readable } from 'node:stream'

import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice, text } from '../../../http/params.ts'
import { ok, page, raw } from '../../../http/returns.ts'
import { abilities, project } from '../../projects/index.ts'
import { BlobContent, EntryLastCommit, TreeItem } from './entity.ts'
import { findLastCommits, getBlob, getTree, streamBlob } from './service.ts'

const sha = text({ max: 64 }).describe('Id of the blob')

export const listTree = endpoint('GET /projects/:id/repository/tree', {
  summary: 'List files and folders',
  scope: project,
  can: abilities.read_code,
  params: {
    ref: text({ max: 1100 }).optional().describe('Branch, tag or id; the default branch otherwise'),
    path: text({ max: 4096 }).optional().describe('Folder to list; the top otherwise'),
    recursive: bool().default(false).describe('Recurse into folders'),
    pagination: choice('legacy', 'keyset', 'none')
      .optional()
      .describe('`keyset` pages by `page_token`, `none` gives the whole recursive list'),
    page_token: text({ max: 8192 }).optional().describe('The cursor of the page, from the `Link` header'),
  },
  fails: { 400: 'The path is invalid' },
  returns: page(TreeItem, { keyset: ['id'] }),
  run: ({ project: owner, params, paging, ...ctx }) => getTree(ctx, owner, params, paging),
})

export const listLastCommits = endpoint('GET /-/projects/:id/repository/last_commits', {
  summary: 'List the last commit of each entry of a folder',
  scope: project,
  can: abilities.read_code,
  params: {
    ref: text({ max: 1100 }).optional().describe('Branch, tag or id; the default branch otherwise'),
    path: text({ max: 4096 }).optional().describe('Folder; the top otherwise'),
  },
  fails: { 400: 'The path is invalid' },
  returns: page(EntryLastCommit, { paging: 'none' }),
  run: async ({ project: owner, params, http, ...ctx }) => {
    const rows = await findLastCommits(ctx, owner, params, http.signal)
    return { rows, total: rows.length }
  },
})

export const showBlob = endpoint('GET /projects/:id/repository/blobs/:sha', {
  summary: 'Get a blob',
  scope: project,
  can: abilities.read_code,
  params: { sha },
  returns: ok(BlobContent),
  run: ({ project: owner, params, ...ctx }) => getBlob(ctx, owner, params.sha),
})

export const showRawBlob = endpoint('GET /projects/:id/repository/blobs/:sha/raw', {
  summary: 'Get the raw content of a blob',
  scope: project,
  can: abilities.read_code,
  params: { sha },
  returns: raw,
  run: async ({ project: owner, params, http, ...ctx }) => {
    const { size, stream } = await streamBlob(ctx, owner, params.sha, http.signal)
    if (http.method === 'HEAD') stream.destroy()
    return {
      type: 'application/octet-stream',
      body: http.method === 'HEAD' ? Readable.from([]) : stream,
      length: size,
      headers: { 'Content-Disposition': 'attachment' },
    }
  },
})
