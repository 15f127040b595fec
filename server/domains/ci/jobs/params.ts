import { choice, list } from '../../../http/params.ts'
import { STATUSES } from '../pipelines/store-list.ts'

/** `scope[]` of lists of jobs: one status, several, or none for all. */
export const scopeParam = list(choice(...STATUSES))
  .optional()
  .describe('Only jobs with one of these statuses')
