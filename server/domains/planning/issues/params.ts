import { int } from '../../../http/params.ts'

/** How an issue is named in paths below its project. */
export const iidParam = { issue_iid: int({ min: 1 }).describe('Number of the issue') }
