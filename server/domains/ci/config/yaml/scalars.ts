import { Float, type Value } from '../values.ts'

const INTEGER = /^[-+]?(?:0|[1-9](?:[0-9]|,[0-9]|_[0-9])*)$/
const OCTAL = /^[-+]?0[0-7_,]+$/
const HEX = /^[-+]?0x[0-9a-fA-F_,]+$/
const BINARY = /^[-+]?0b[01_,]+$/
const FLOAT =
  /^[-+]?(?:[0-9][0-9_,]*)?\.[0-9]+(?:[eE][-+]?[0-9]+)?$|^[-+]?[0-9][0-9_,]*(?:\.[0-9]*)?[eE][-+]?[0-9]+$|^[-+]?[0-9][0-9_,]*\.$/
const SEXAGESIMAL = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9]){1,2}$/

/**
 * What a plain scalar means in YAML 1.1 as the reference's loader reads it: `yes` and `on` are true, `0644` is octal,
 * `1:30` counts in sixties; `y`, `n` and dates are text.
 */
export function plainScalar(text: string): Value {
  if (text === '' || text === '~' || /^null$/i.test(text)) return null
  const first = text.charCodeAt(0)
  // Most scalars are words and paths; only what starts like a number is looked at as one.
  if ((first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46) return numberOf(text)
  if (text.length <= 5) {
    if (/^(?:yes|true|on)$/i.test(text)) return true
    if (/^(?:no|false|off)$/i.test(text)) return false
  }
  return text
}

function numberOf(text: string): Value {
  // Longer texts are no numbers anybody meant, and would cost time.
  if (text.length > 60) return text
  if (INTEGER.test(text)) return whole(text.replaceAll(/[,_]/g, ''), '')
  if (OCTAL.test(text)) return whole(text.replaceAll(/[,_]/g, ''), '0o')
  if (HEX.test(text)) return whole(text.replaceAll(/[,_]|0x/g, ''), '0x')
  if (BINARY.test(text)) return whole(text.replaceAll(/[,_]|0b/g, ''), '0b')
  if (FLOAT.test(text)) return new Float(Number(text.replaceAll(/[,_]/g, '')))
  if (/^[-+]?\.inf$/i.test(text)) return new Float(text.startsWith('-') ? -Infinity : Infinity)
  if (/^\.nan$/i.test(text)) return new Float(NaN)
  return SEXAGESIMAL.test(text) ? sixties(text) : text
}

function whole(digits: string, prefix: string): number | bigint {
  const sign = digits.startsWith('-') ? -1 : 1
  const exact = BigInt(prefix + digits.replace(/^[-+]/, '').replace(/^0+(?=.)/, ''))
  return exact <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(exact) * sign : exact * BigInt(sign)
}

function sixties(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1
  const parts = text.replace(/^[-+]/, '').replaceAll('_', '').split(':')
  return sign * parts.reduce((sum, part) => sum * 60 + Number(part), 0)
}
