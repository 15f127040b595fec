import { fileOrNone } from '../../../http/params.ts'

/** The `avatar` parameter: a picture. An empty text or null removes the current one. */
export const avatarParam = () =>
  fileOrNone()
    .nullable()
    .optional()
    .describe('Image file of at most 200 KiB. An empty value removes the current avatar')
