import { awardEndpoints, discussionEndpoints, noteEndpoints } from '../../discussions/index.ts'
import { mergeRequestKind } from './kind.ts'

export const mergeRequestNotes = noteEndpoints(mergeRequestKind)
export const mergeRequestDiscussions = discussionEndpoints(mergeRequestKind)
export const mergeRequestAwards = awardEndpoints(mergeRequestKind)
