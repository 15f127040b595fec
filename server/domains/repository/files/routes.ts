import { Readable } from 'node:stream'
import { serviceHeaders } from '../../../lib/aliases.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice, text, hash, int } from '../../../http/params.ts'
import { created, noContent, ok, raw, page } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { abilities, project } from '../../projects/index.ts'
import { refusesAllPushes, singleLine } from '../checks/check.ts'
import { CommitDetail } from '../commits/entity.ts'
import { commitFiles, type FileAction } from '../commits/write.ts'
import { disposition } from '../../../http/answer/content.ts'
import {
  File,
  fileHeaders,
  fileName,
  FileWritten,
  BlameRange,
  BlobContent,
  EntryLastCommit,
  TreeItem,
} from './entity.ts'
import {
  filePath,
  getFile,
  getFileInfo,
  openFile,
  getBlame,
  findLastCommits,
  getBlob,
  getTree,
  streamBlob,
  updateSubmodule,
} from './service.ts'

export const putSubmodule = endpoint('PUT /projects/:id/repository/submodules/:submodule', {
  summary: 'Update a submodule reference',
  scope: project,
  can: abilities.push_code,
  params: {
    submodule: text({ max: 4096 }).describe('The URL-encoded path of the submodule'),
    branch: text({ max: 1100, notEmpty: true }).describe('The branch to commit to'),
    commit_sha: text({ max: 64, notEmpty: true }).describe('The full id of a commit of the submodule'),
    commit_message: text().optional().describe('The commit message'),
  },
  fails: { 400: 'The submodule does not exist or is already at this commit, or the id is not complete' },
  returns: ok(CommitDetail),
  run: ({ project: owner, params, ...ctx }) => updateSubmodule(ctx, owner, params),
})

const sha = text({ max: 64 }).describe('Id of the blob')

export const listTree = endpoint('GET /projects/:id/repository/tree', {
  summary: 'List files and folders',
  scope: project,
  can: abilities.read_code,
  params: {
    ref: text({ max: 1100 }).optional().describe('Branch, tag or commit id (default: the default branch)'),
    path: text({ max: 4096 }).optional().describe('The folder to list (default: the root folder)'),
    recursive: bool().default(false).describe('List the contents of all folders'),
    pagination: choice('legacy', 'keyset', 'none')
      .optional()
      .describe('The pagination: `keyset` uses `page_token`, `none` returns the whole recursive list'),
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
    ref: text({ max: 1100 }).optional().describe('Branch, tag or commit id (default: the default branch)'),
    path: text({ max: 4096 }).optional().describe('The folder (default: the root folder)'),
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

export const listBlame = endpoint('GET /projects/:id/repository/files/:file_path/blame', {
  summary: 'Get the blame of a file',
  scope: project,
  can: abilities.read_code,
  token: ['read_repository'],
  params: {
    file_path: text({ max: 4096 }).describe('The URL-encoded path of the file'),
    ref: text({ max: 1100, notEmpty: true }).describe('Branch, tag or commit id'),
    range: hash({
      start: int({ min: 1 }).describe('First line, from 1'),
      end: int({ min: 1 }).describe('Last line'),
    })
      .optional()
      .describe('Limit to these lines'),
  },
  fails: { 400: 'range[start] must be less than or equal to range[end]' },
  returns: page(BlameRange, { paging: 'none' }),
  run: async ({ project: owner, params, http, ...ctx }) => {
    const info = await getFileInfo(ctx, owner, params)
    for (const [name, value] of Object.entries(serviceHeaders(fileHeaders(info)))) http.set(name, value)
    if (http.method === 'HEAD') return { rows: [] }
    return { rows: await getBlame(ctx, owner, params, http.signal) }
  },
})

/** The maximum size of a request body with file contents, in bytes. Larger files must be pushed. */
export const MAX_CONTENT_BODY = 64 * 1024 * 1024

const file_path = text({ max: 4096 }).describe('The URL-encoded path of the file')

const TOO_OFTEN = 'A file of more than 10 MB was read too often'

export const showFile = endpoint('GET /projects/:id/repository/files/:file_path', {
  summary: 'Get a file',
  scope: project,
  can: abilities.read_code,
  token: ['read_repository'],
  params: { file_path, ref: text({ max: 1100, notEmpty: true }).describe('Branch, tag or commit id') },
  fails: { 429: TOO_OFTEN },
  returns: ok(File),
  run: async ({ project: owner, params, http, ...ctx }) => {
    const file =
      http.method === 'HEAD'
        ? { ...(await getFileInfo(ctx, owner, params)), content: Buffer.alloc(0) }
        : await getFile(ctx, owner, params)
    for (const [name, value] of Object.entries(serviceHeaders(fileHeaders(file)))) http.set(name, value)
    return file
  },
})

export const showRawFile = endpoint('GET /projects/:id/repository/files/:file_path/raw', {
  summary: 'Get the raw content of a file',
  scope: project,
  can: abilities.read_code,
  token: ['read_repository'],
  params: {
    file_path,
    ref: text({ max: 1100 }).optional().describe('Branch, tag or commit id (default: the default branch)'),
    lfs: bool().optional().describe('Return the LFS object instead of its pointer'),
  },
  fails: { 429: TOO_OFTEN },
  returns: raw,
  run: async ({ project: owner, params, http, ...ctx }) => {
    const ref = params.ref || `refs/heads/${owner.default_branch}`
    const request = { file_path: params.file_path, ref, lfs: params.lfs }
    const { info, stream, length } = await openFile(ctx, owner, request, http.signal)
    if (http.method === 'HEAD') stream.destroy()
    return {
      type: 'text/plain',
      body: http.method === 'HEAD' ? Readable.from([]) : stream,
      length,
      headers: {
        ...serviceHeaders(fileHeaders({ ...info, ref: params.ref || owner.default_branch })),
        'Content-Disposition': disposition('inline', fileName(params.file_path)),
      },
    }
  },
})

const commitParams = {
  file_path,
  branch: text({ max: 1100, notEmpty: true }).describe('The branch to commit to'),
  commit_message: text({ notEmpty: true }).describe('The commit message'),
  start_branch: text({ max: 1100 }).optional().describe('The branch to start a new branch from'),
  author_email: text({ max: 1000 })
    .optional()
    .describe('The email address of the author (default: that of the current user)'),
  author_name: text({ max: 1000 })
    .optional()
    .describe('The name of the author (default: that of the current user)'),
}
const contentParams = {
  content: text({ max: MAX_CONTENT_BODY }).describe('The content of the file'),
  encoding: choice('text', 'base64').default('text').describe('The encoding of the content'),
  execute_filemode: bool().optional().describe('Whether the file is executable'),
}
const last_commit_id = text({ max: 64 })
  .optional()
  .describe('The last known commit of the file. If there is a newer one, the request fails')

/** Returns the error for a refused push: 400 here, but 403 in the commits API (spec core 4.2). */
const refusalError = (sentence: string) =>
  fail(
    'bad_request',
    refusesAllPushes(sentence) ? 'You are not allowed to push into this branch' : singleLine(sentence),
  )

const writeOptions = {
  scope: project,
  can: abilities.push_code,
  maxBody: MAX_CONTENT_BODY,
  fails: {
    400: 'The file already exists or is missing, has changed in the meantime, or the branch cannot be pushed to',
  },
}

interface CommitParams {
  readonly file_path: string
  readonly branch: string
  readonly commit_message: string
  readonly start_branch?: string | undefined
  readonly author_email?: string | undefined
  readonly author_name?: string | undefined
}

/** Creates the request for a commit with one action on one file. */
function commitRequest(params: CommitParams, action: Omit<FileAction, 'file_path'>) {
  return { ...params, actions: [{ ...action, file_path: filePath(params.file_path) }] }
}

export const createFile = endpoint('POST /projects/:id/repository/files/:file_path', {
  summary: 'Create a file',
  ...writeOptions,
  params: { ...commitParams, ...contentParams },
  returns: created(FileWritten),
  run: async ({ project: owner, params, ...ctx }) => {
    const { content, encoding, execute_filemode } = params
    const action = { action: 'create', content, encoding, execute_filemode } as const
    await commitFiles(ctx, owner, commitRequest(params, action), refusalError)
    return params
  },
})

export const updateFile = endpoint('PUT /projects/:id/repository/files/:file_path', {
  summary: 'Update a file',
  ...writeOptions,
  params: { ...commitParams, ...contentParams, last_commit_id },
  returns: ok(FileWritten),
  run: async ({ project: owner, params, ...ctx }) => {
    const { content, encoding, execute_filemode, last_commit_id: last } = params
    const action = { action: 'update', content, encoding, execute_filemode, last_commit_id: last } as const
    await commitFiles(ctx, owner, commitRequest(params, action), refusalError)
    return params
  },
})

export const deleteFile = endpoint('DELETE /projects/:id/repository/files/:file_path', {
  summary: 'Delete a file',
  ...writeOptions,
  params: { ...commitParams, last_commit_id },
  returns: noContent,
  run: async ({ project: owner, params, ...ctx }) => {
    const action = { action: 'delete', last_commit_id: params.last_commit_id } as const
    await commitFiles(ctx, owner, commitRequest(params, action), refusalError)
  },
})
