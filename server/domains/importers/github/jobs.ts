import { z } from 'zod'

import { job, type Job } from '../../../jobs/job.ts'
import { HOST_A, HOST_A_JOBS_LIMIT } from '../../../lib/aliases.ts'
import { settingsOf } from '../../settings/index.ts'
import { hostImportJob } from '../hosts/run.ts'
import { GithubClient, githubAddress, GITHUB, deniedSentence } from './client.ts'
import { runGists } from './gists.ts'
import { attachments } from './stages/attachments.ts'
import { labels, milestones, releases, protectedBranches } from './stages/base-data.ts'
import { issues, pullRequests } from './stages/issuables.ts'
import { largeFiles } from './stages/large-files.ts'
import { diffNotes, notes } from './stages/notes.ts'
import { repository } from './stages/repository.ts'
import { mergers, reviewRequests, reviews } from './stages/reviews.ts'
import { events } from './stages/timeline.ts'
import type { Work, Stage } from './work.ts'

/** All stages in the order of spec administration 6.9. Records are imported before the records that refer to them. */
const STAGES: readonly Stage[] = [
  repository,
  labels,
  milestones,
  releases,
  pullRequests,
  mergers,
  reviewRequests,
  reviews,
  issues,
  diffNotes,
  events,
  notes,
  attachments,
  protectedBranches,
  largeFiles,
]

/** Imports a repository from GitHub. */
export const importGithub = hostImportJob<Work>('host_imports.host_a', {
  connect: (ctx, { hostname }, connection) => {
    const address = githubAddress(hostname ?? undefined) ?? GITHUB
    return {
      client: new GithubClient(ctx, address, connection),
      identity_provider: address.isPublic ? HOST_A : null,
    }
  },
  stages: STAGES,
  stageCursor: { page: null, counted: false, issuable: null },
  deniedMessage: deniedSentence(),
  limit: (ctx) => Math.max(1, settingsOf(ctx)[HOST_A_JOBS_LIMIT]),
})

/** Creates snippets from the gists of a user. */
export const importGists: Job<{ user_id: number }> = job(
  'host_imports.gists',
  { args: { user_id: z.number() }, retries: 3, lane: 'outside' },
  (ctx, { user_id }) => runGists(ctx, user_id, importGists),
)

export const jobs = [importGithub, importGists]
