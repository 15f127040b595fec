import { attachments } from './attachments.ts'
import { labels, milestones, releases, protectedBranches } from './base-data.ts'
import { events } from './timeline.ts'
import { issues, pullRequests } from './issuables.ts'
import { largeFiles } from './large-files.ts'
import { diffNotes, notes } from './notes.ts'
import { repository } from './repository.ts'
import { mergers, reviewRequests, reviews } from './reviews.ts'
import type { Stage } from '../work.ts'

/** All stages, in the order of spec administration 6.9: records come before those that refer to them. */
export const STAGES: readonly Stage[] = [
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
