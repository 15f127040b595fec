import { hueOf } from '../../../composables/appearance/hue.ts'
import { percentText } from '../../../composables/time.ts'
import { t } from '../../../locales/t.ts'

export type LanguageShare = { name: string; share: number; hue: number }

/** The usual colors of common languages; other languages get a color by their name. */
const KNOWN: Record<string, number> = {
  C: 255,
  'C++': 350,
  'C#': 145,
  CSS: 300,
  Go: 205,
  HTML: 32,
  Java: 50,
  JavaScript: 95,
  Kotlin: 310,
  PHP: 280,
  Python: 248,
  Ruby: 22,
  Rust: 42,
  Shell: 135,
  Swift: 38,
  TypeScript: 258,
  Vue: 158,
}
const SHOWN = 5

/** The largest languages of a project by their share in percent; what is left over is one entry, `Other`. */
export const languageShares = (languages: Readonly<Record<string, number>>): LanguageShare[] => {
  const all = Object.entries(languages)
    .filter(([, share]) => share > 0)
    .sort((a, b) => b[1] - a[1])
  const shown = all.slice(0, all.length > SHOWN + 1 ? SHOWN : SHOWN + 1)
  const rest = all.slice(shown.length).reduce((sum, [, share]) => sum + share, 0)
  return [
    ...shown.map(([name, share]) => ({ name, share, hue: KNOWN[name] ?? hueOf(name) })),
    ...(rest > 0 ? [{ name: t('common.other'), share: rest, hue: -1 }] : []),
  ]
}

/** `86%`, `0.4%`, `< 0.1%`. */
export const shareText = (share: number): string => {
  if (share < 0.05) return `< ${percentText(0.1)}`
  return percentText(share >= 1 ? Math.round(share) : Math.round(share * 10) / 10)
}
