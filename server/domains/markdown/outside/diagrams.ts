import { deflateRawSync, deflateSync } from 'node:zlib'

import { DIAGRAM_A_LANGUAGE, OTHER_DIAGRAM_LANGUAGES } from '../../../http/aliases.ts'

/** Servers that draw diagrams; null for one that is not asked. */
export interface DiagramServers {
  readonly diagramA: string | null
  readonly kroki: string | null
  /** Languages of the second server that need programs beside it. */
  readonly extra: Readonly<Record<string, boolean>>
}

/** Larger ones have no address that every server takes; they stay text. */
const MAX_ADDRESS = 8000

/** Languages that need a program beside the server, by the switch that says it is there. */
const EXTRA: Readonly<Record<string, readonly string[]>> = {
  blockdiag: ['blockdiag', 'seqdiag', 'actdiag', 'nwdiag', 'packetdiag', 'rackdiag'],
  bpmn: ['bpmn'],
  excalidraw: ['excalidraw'],
  mermaid: ['mermaid'],
}

/** The address of the picture that a server draws of a code block; undefined for what stays text. */
export function diagramAddress(
  language: string,
  code: string,
  { diagramA, kroki, extra }: DiagramServers,
): string | undefined {
  const name = language.toLowerCase()
  const address =
    diagramA !== null && name === DIAGRAM_A_LANGUAGE
      ? `${base(diagramA)}/svg/${encodedForA(code)}`
      : kroki !== null && drawsOthers(name, extra)
        ? `${base(kroki)}/${name}/svg/${deflateSync(code, { level: 9 }).toString('base64url')}`
        : undefined
  return address !== undefined && address.length <= MAX_ADDRESS ? address : undefined
}

function drawsOthers(name: string, extra: DiagramServers['extra']): boolean {
  if (!OTHER_DIAGRAM_LANGUAGES.includes(name)) return false
  const needed = Object.keys(EXTRA).filter((one) => EXTRA[one]!.includes(name))
  return needed.every((one) => extra[one])
}

const base = (url: string): string => url.replace(/\/+$/, '')

const USUAL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const THEIRS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_'

/** Compressed, in the order of letters that this family of servers has; with the lines around it that it wants. */
function encodedForA(code: string): string {
  const whole = /^\s*@start/.test(code) ? code : `@startuml\n${code.trimEnd()}\n@enduml`
  const text = deflateRawSync(whole, { level: 9 }).toString('base64').replaceAll('=', '')
  return text.replace(/./g, (letter) => THEIRS[USUAL.indexOf(letter)]!)
}
