import { z } from 'zod'

import { event } from '../../events/event.ts'

const release = {
  project_id: z.number(),
  release_id: z.number(),
  tag: z.string(),
  actor_id: z.number().nullable(),
}

/** A release was created. */
export const ReleaseCreated = event('release.created', release)

/** A release was updated. `changed` lists the fields. */
export const ReleaseUpdated = event('release.updated', { ...release, changed: z.array(z.string()) })

/** A release was deleted; its tag stays. The event contains its last values, because the row no longer exists. */
export const ReleaseDeleted = event('release.deleted', {
  ...release,
  name: z.string(),
  description: z.string().nullable(),
  sha: z.string().nullable(),
  created_at: z.string(),
  released_at: z.string(),
  links: z.array(
    z.object({
      id: z.number(),
      name: z.string(),
      url: z.string(),
      link_type: z.enum(['other', 'runbook', 'image', 'package']),
    }),
  ),
})

/** Evidence of a release was collected. */
export const EvidenceCollected = event('release.evidence_collected', { ...release, evidence_id: z.number() })
