import { z } from 'zod'

import type { GroupSizes } from './group.ts'

/** Sizes in bytes of what is in the projects of a group (spec rest-api, Group). */
export const sizeFields = {
  storage_size: z.int(),
  repository_size: z.int(),
  wiki_size: z.int(),
  lfs_objects_size: z.int(),
  job_artifacts_size: z.int(),
  pipeline_artifacts_size: z.int(),
  packages_size: z.int(),
  snippets_size: z.int(),
  uploads_size: z.int(),
}

export function presentSizes(sizes: GroupSizes) {
  return {
    storage_size: Object.values(sizes).reduce((sum: number, size: number) => sum + size, 0),
    ...sizes,
  }
}

/** A group without projects. */
export const NO_SIZES: GroupSizes = {
  repository_size: 0,
  wiki_size: 0,
  lfs_objects_size: 0,
  job_artifacts_size: 0,
  pipeline_artifacts_size: 0,
  packages_size: 0,
  snippets_size: 0,
  uploads_size: 0,
}
