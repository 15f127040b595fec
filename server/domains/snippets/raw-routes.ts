import type { Ctx } from '../../ctx.ts'
import { disposition } from '../../http/answer/content.ts'
import { endpoint, type Exchange } from '../../http/endpoint.ts'
import { text } from '../../http/params.ts'
import { raw } from '../../http/returns.ts'
import { notFound } from '../../lib/fail.ts'
import { project } from '../projects/index.ts'
import { idParam, snippetIdParam } from './params.ts'
import { abilities } from './policy.ts'
import { openFile } from './service-repository.ts'
import { findIn, findSnippet } from './service.ts'
import { type SnippetRow } from './types.ts'

const fileParams = {
  ref: text({ max: 1100 }).describe('The branch, tag or commit'),
  file_path: text({ max: 4096 }).describe('The path of the file'),
}

/** Answers with a file as plain text, so that browsers never execute it. */
async function rawFile(ctx: Ctx & { http: Exchange }, snippet: SnippetRow, ref?: string, path?: string) {
  const file = path ?? snippet.files[0]
  if (file === undefined) throw notFound('File')
  const blob = await openFile(ctx, snippet, ref ?? snippet.default_branch, file, ctx.http.signal)
  const headers = { 'Content-Disposition': disposition('attachment', file.split('/').at(-1)!) }
  return { type: 'text/plain; charset=utf-8', body: blob.stream, length: blob.size, headers }
}

export const getSnippetRaw = endpoint('GET /snippets/:id/raw', {
  summary: 'Get the raw content of a snippet',
  can: 'anyone',
  params: idParam,
  returns: raw,
  run: (ctx) => rawFile(ctx, findSnippet(ctx, ctx.params.id).snippet),
})

export const getSnippetFile = endpoint('GET /snippets/:id/files/:ref/:file_path/raw', {
  summary: 'Get a raw file of a snippet',
  can: 'anyone',
  params: { ...idParam, ...fileParams },
  returns: raw,
  run: (ctx) => rawFile(ctx, findSnippet(ctx, ctx.params.id).snippet, ctx.params.ref, ctx.params.file_path),
})

export const getProjectSnippetRaw = endpoint('GET /projects/:id/snippets/:snippet_id/raw', {
  summary: 'Get the raw content of a project snippet',
  scope: project,
  can: abilities.read_snippets,
  params: snippetIdParam,
  returns: raw,
  run: (ctx) => rawFile(ctx, findIn(ctx, ctx.project, ctx.params.snippet_id)),
})

export const getProjectSnippetFile = endpoint(
  'GET /projects/:id/snippets/:snippet_id/files/:ref/:file_path/raw',
  {
    summary: 'Get a raw file of a project snippet',
    scope: project,
    can: abilities.read_snippets,
    params: { ...snippetIdParam, ...fileParams },
    returns: raw,
    run: (ctx) =>
      rawFile(ctx, findIn(ctx, ctx.project, ctx.params.snippet_id), ctx.params.ref, ctx.params.file_path),
  },
)
