import { fileOrNone } from '../../../http/params.ts'

/** The `avatar` parameter: a picture; an empty text or null removes the present one. */
export const avatarParam = () =>
  fileOrNone()
    .nullable()
    .optional()
    .describe('Picture, at most 200 KiB; an empty value removes the present one')
