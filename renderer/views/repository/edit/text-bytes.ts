import { t } from '../../../locales/t.ts'
/** The encoding and line endings of a text file; they stay the same when the file is changed. */
export type TextForm = { crlf: boolean; bom: boolean }

export const NEW_TEXT: TextForm = { crlf: false, bom: false }

const BOM = [0xef, 0xbb, 0xbf]

/** The form that a file has. Mixed line ends become the plain ones. */
export const formOf = (bytes: Uint8Array, lineEnding: string): TextForm => ({
  crlf: lineEnding === 'CRLF',
  bom: BOM.every((byte, index) => bytes[index] === byte),
})

const CHUNK = 0x8000

/** Bytes as base64; in steps, because a call takes only so many arguments. */
export const base64Of = (bytes: Uint8Array): string => {
  let raw = ''
  for (let at = 0; at < bytes.length; at += CHUNK)
    raw += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  return btoa(raw)
}

/** A text as the bytes of its file, in UTF-8, as base64. */
export const encodeText = (text: string, form: TextForm): string => {
  const lines = form.crlf ? text.replaceAll('\n', '\r\n') : text
  const bytes = new TextEncoder().encode(lines)
  return base64Of(form.bom ? Uint8Array.from([...BOM, ...bytes]) : bytes)
}

/** A path as people type it: no blanks around it, no empty steps, no slash at its ends. */
export const cleanPath = (path: string): string =>
  path
    .split('/')
    .map((part) => part.trim())
    .filter((part) => part !== '' && part !== '.')
    .join('/')

/** Why a file cannot have this path; null when it can. */
export const pathProblem = (path: string): string | null => {
  const clean = cleanPath(path)
  if (!clean) return t('repository.enter_a_file_name')
  if (path.trim().endsWith('/')) return t('repository.enter_a_file_name_after_the_folder')
  if (clean.split('/').includes('..')) return t('repository.paths_outside_the_repository_are_not')
  return clean.split('/').includes('.git') ? t('repository.git_is_not_allowed_as_a_folder_name') : null
}
