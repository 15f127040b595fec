import { z } from 'zod'

import { event } from '../../events/event.ts'

const release = {
  project_id: z.number(),
  release_id: z.number(),
  tag: z.string(),
  actor_id: z.number().nullable(),
}

/** A release was published for a tag. */
export const ReleaseCreated = event('release.created', release)

/** Texts, dates, milestones or links of a release changed; `changed` names them. */
export const ReleaseUpdated = event('release.updated', { ...release, changed: z.array(z.string()) })

/** A release is gone; its tag stays. Nobody can look up any more what it said. */
export const ReleaseDeleted = event('release.deleted', {
  ...release,
  name: z.string(),
  description: z.string().nullable(),
  sha: z.string().nullable(),
  created_at: z.string(),
  released_at: z.string(),
  links: z.array(z.object({ id: z.number(), name: z.string(), url: z.string(), link_type: z.string() })),
})

/** What a release was made of was written down. */
export const EvidenceCollected = event('release.evidence_collected', { ...release, evidence_id: z.number() })
