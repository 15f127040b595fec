import { int } from '../../../http/params.ts'

/** The path parameter of an issue. */
export const iidParam = { issue_iid: int({ min: 1 }).describe('The internal ID (IID) of the issue') }
