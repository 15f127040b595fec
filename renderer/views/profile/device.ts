import { t } from '../../locales/t.ts'
const BROWSERS: readonly [RegExp, string][] = [
  [/Deskforge|Electron\//, 'Deskforge'],
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\/|Chromium\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/curl\//, 'curl'],
]
const SYSTEMS: readonly [RegExp, string][] = [
  [/Windows/, 'Windows'],
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux/, 'Linux'],
]
const first = (table: readonly [RegExp, string][], text: string) =>
  table.find(([pattern]) => pattern.test(text))?.[1]

/** What a program calls itself, in words: "Firefox on Linux". */
export const deviceOf = (userAgent: string): string => {
  const [program, system] = [first(BROWSERS, userAgent), first(SYSTEMS, userAgent)]
  if (!program && !system) return userAgent.slice(0, 60) || t('profile.unknown_client')
  return [program ?? 'A browser', system].filter(Boolean).join(' on ')
}
