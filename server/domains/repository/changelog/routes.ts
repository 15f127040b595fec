import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { entity } from '../../../http/entity.ts'
import { text, timestamp } from '../../../http/params.ts'
import { ok, raw } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { abilities, project } from '../../projects/index.ts'
import { getNotes, writeChangelog } from './service.ts'

/** The changes of a release, as Markdown. */
const ChangelogNotes = entity('ChangelogNotes', { notes: z.string() }, (notes: string) => ({ notes }))

const params = {
  version: text({ max: 255, notEmpty: true }).describe('Version of the release, such as `1.2.0`'),
  from: text({ max: 1100 })
    .optional()
    .describe('The commit before the first change (default: the tag of the previous version)'),
  to: text({ max: 1100 }).optional().describe('The last commit (default: the head of the branch)'),
  date: timestamp().optional().describe('The release date (default: now)'),
  trailer: text({ max: 255, notEmpty: true })
    .default('Changelog')
    .describe('The Git trailer of the commits to include'),
  config_file: text({ max: 4096 }).optional().describe('The file with the configuration of the changelog'),
}

const fails = { 400: 'A path is invalid', 422: 'Failed to generate the changelog: …' }

/** Throws 400 unless the version has three numbers; it may begin with `v` (spec core 4.1). */
function withCheckedVersion<P extends { version: string }>(input: P): P {
  if (/\d+\.\d+\.\d+/.test(input.version) && !/[\r\n]/.test(input.version)) return input
  throw fail('parameter', 'version is invalid')
}

export const showChangelog = endpoint('GET /projects/:id/repository/changelog', {
  summary: 'Get the changelog of a release',
  scope: project,
  can: abilities.read_code,
  params,
  fails,
  returns: ok(ChangelogNotes),
  run: ({ project: owner, params: given, ...ctx }) => getNotes(ctx, owner, withCheckedVersion(given)),
})

export const addToChangelog = endpoint('POST /projects/:id/repository/changelog', {
  summary: 'Add the changelog of a release to a file',
  scope: project,
  can: abilities.push_code,
  params: {
    ...params,
    branch: text({ max: 1100 }).optional().describe('The branch to commit to (default: the default branch)'),
    file: text({ max: 4096, notEmpty: true }).default('CHANGELOG.md').describe('The file to write to'),
    message: text().optional().describe('The commit message'),
  },
  fails,
  returns: raw,
  run: async ({ project: owner, params: given, ...ctx }) => {
    const { file, message } = given
    const branch = given.branch || owner.default_branch
    await writeChangelog(ctx, owner, withCheckedVersion(given), { branch, file, message })
    return { type: 'application/json', body: 'true' }
  },
})
