import type { ErrorCode, YAMLParseError } from 'yaml'

import { LoadError, Sources } from '../problem.ts'
import { TOO_BIG } from './size.ts'

/** The reference's parser words its problems so; what is not listed keeps the words of ours. */
const WORDS: Partial<Record<ErrorCode, string>> = {
  TAB_AS_INDENT: 'found character that cannot start any token while scanning for the next token',
  BAD_INDENT: 'did not find expected key while parsing a block mapping',
  MISSING_CHAR: 'could not find expected character while scanning',
  BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  MULTILINE_IMPLICIT_KEY: "could not find expected ':' while scanning a simple key",
  UNEXPECTED_TOKEN: 'did not find expected node content while parsing',
  BAD_DQ_ESCAPE: 'found unknown escape character while parsing a quoted scalar',
  BAD_ALIAS: 'did not find expected alphabetic or numeric character while scanning an anchor or alias',
}

/** A syntax error as the reference shows it: `(<unknown>): <problem> at line L column C`. */
export function syntaxError(error: YAMLParseError, text: string, file: number): LoadError {
  // The parser ran out of stack.
  if (error.message.startsWith('Maximum call stack')) return new LoadError(TOO_BIG)
  const words = WORDS[error.code] ?? error.message.replace(/\n[\s\S]*$/, '')
  return problemAt(words, Math.min(error.pos[0], text.length), text, file)
}

/** Refuses control characters, which are no part of YAML. Throws LoadError. */
export function checkCharacters(text: string, file: number): void {
  // eslint-disable-next-line no-control-regex
  const at = text.search(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/)
  if (at >= 0) throw problemAt('control characters are not allowed', at, text, file)
}

function problemAt(words: string, offset: number, text: string, file: number): LoadError {
  const sources = new Sources()
  const { line, column } = sources.problem('', { file: sources.add(null, text), offset })
  return new LoadError(`(<unknown>): ${words} at line ${line} column ${column}`, { file, offset })
}
