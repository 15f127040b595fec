import { int } from '../../../http/params.ts'

/** The path parameter of an issue. */
export const iidParam = { issue_iid: int({ min: 1 }).describe('Number of the issue') }
