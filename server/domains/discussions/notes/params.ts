import { choice, hash, int, text } from '../../../http/params.ts'

const shaText = () => text({ max: 64, notEmpty: true })

const path = () => text({ max: 4096 }).optional()

const end = () =>
  hash({
    line_code: text({ max: 255 }).optional(),
    type: choice('new', 'old').optional(),
    old_line: int({ min: 1 }).optional(),
    new_line: int({ min: 1 }).optional(),
  }).optional()

/** A position in a diff, as requests contain it (spec core 5.5). */
export const position = () =>
  hash({
    base_sha: shaText().describe('The SHA of the base commit of the diff'),
    start_sha: shaText().describe('The SHA of the head of the target branch when the diff was made'),
    head_sha: shaText().describe('The SHA of the head commit of the diff'),
    position_type: choice('text', 'image'),
    new_path: path(),
    new_line: int({ min: 1 }).optional(),
    old_path: path(),
    old_line: int({ min: 1 }).optional(),
    line_range: hash({ start: end(), end: end() }).optional(),
    width: int({ min: 0 }).optional(),
    height: int({ min: 0 }).optional(),
    x: int({ min: 0 }).optional(),
    y: int({ min: 0 }).optional(),
  })

/** The path parameter that names a commit. */
export const commitParam = text({ max: 1100 }).describe('The commit SHA, or the name of a branch or tag')
