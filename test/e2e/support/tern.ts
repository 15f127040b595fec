import type { Instance } from './instance.ts'
import { workTree, type WorkTree } from './work-tree.ts'

const readme = `# tern

Tide tables for small harbours. Give it a gauge, a day and a depth; it says when
a boat of that draught can cross the bar.

\`\`\`rust
let gauge = tern::Gauge::open("saltmarsh.csv")?;
for slack in gauge.windows(today(), 1.8) {
    println!("{} – {}", slack.opens, slack.closes);
}
\`\`\`

## Why another one

- **Offline.** One file per gauge, readable twenty years from now.
- **Honest.** Every answer carries its error, in minutes.
- **Small.** Two dependencies, and neither of them draws maps.

## Install

\`\`\`sh
cargo add tern
\`\`\`

The format of a gauge is described in [docs/gauge.md](docs/gauge.md). The
constituents are in [src/tide.rs](src/tide.rs).

![A gauge in the harbour wall](docs/gauge.svg)
`

const gauge = `# A gauge

| Column  | Unit    | Meaning                    |
| ------- | ------- | -------------------------- |
| at      | UTC     | when it was read           |
| height  | metres  | above the datum of the day |
| quality | 0 to 3  | 3 is a person with a staff |
`

const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="48" viewBox="0 0 120 48">
  <path d="M0 30 Q15 18 30 30 T60 30 T90 30 T120 30" fill="none" stroke="#3178a8" stroke-width="3"/>
  <path d="M60 6v36" stroke="#808080" stroke-width="2"/>
</svg>
`

const tide = `//! Heights from harmonic constituents.

use std::f64::consts::TAU;

/// One constituent of a gauge: how high, how fast, and where in its turn.
pub struct Constituent {
    pub amplitude: f64,
    pub period_hours: f64,
    pub phase: f64,
}

/// The height above the datum, in metres.
pub fn height(parts: &[Constituent], hours: f64) -> f64 {
    let mut sum = 0.0;
    for part in parts {
        sum += part.amplitude * (TAU * hours / part.period_hours + part.phase).cos();
    }
    sum
}
`

const betterTide = tide
  .replace(
    '    let mut sum = 0.0;\n    for part in parts {\n        sum += ',
    '    parts\n        .iter()\n        .map(|part| ',
  )
  .replace('.cos();\n    }\n    sum\n', '.cos())\n        .sum()\n')

const windows = `use crate::tide::{height, Constituent};

/// When the water over the bar is deep enough, in hours of the day.
pub fn windows(parts: &[Constituent], draught: f64) -> Vec<(f64, f64)> {
    let mut open = Vec::new();
    let mut since = None;
    for minute in 0..24 * 60 {
        let hours = f64::from(minute) / 60.0;
        match (height(parts, hours) >= draught, since) {
            (true, None) => since = Some(hours),
            (false, Some(from)) => {
                open.push((from, hours));
                since = None;
            }
            _ => {}
        }
    }
    open.extend(since.map(|from| (from, 24.0)));
    open
}
`

const DAY = 24 * 3600 * 1000

export interface Tern {
  readonly id: number
  readonly tree: WorkTree
  /** The commit that rewrites src/tide.rs. */
  readonly rewrite: string
}

/** Pushes a small project with history over HTTP: four commits, three branches, one tag. */
export async function pushTern(instance: Instance, fullPath: string): Promise<Tern> {
  const project = await instance.api<{ id: number }>('GET', `/projects/${encodeURIComponent(fullPath)}`)
  const tree = await workTree(instance, fullPath)
  const ago = (days: number) => ({ at: new Date(Date.now() - days * DAY) })
  await tree.commit(
    'Begin with the format of a gauge',
    { 'README.md': '# tern\n', 'docs/gauge.md': gauge },
    ago(9),
  )
  await tree.commit(
    'Add heights from constituents',
    {
      'src/tide.rs': tide,
      'Cargo.toml': '[package]\nname = "tern"\nversion = "0.1.0"\n',
      '.gitignore': 'target/\n',
    },
    { ...ago(6), author: 'Teo Brandt' },
  )
  await tree.git('tag', '-a', 'v0.1.0', '-m', 'The first heights')
  await tree.git('branch', 'spring-tides')
  const rewrite = await tree.commit(
    'Sum the constituents without a loop\n\nThe compiler unrolls it either way; this one says what it does.',
    { 'src/tide.rs': betterTide },
    ago(2),
  )
  await tree.commit(
    'Say when a boat can cross',
    { 'README.md': readme, 'docs/gauge.svg': drawing, 'src/windows.rs': windows },
    { ...ago(0.2), author: 'Ines Okafor' },
  )
  await tree.git('checkout', '--quiet', '-b', 'fix/slack-water')
  await tree.commit(
    'Count slack water as open',
    { 'src/windows.rs': windows.replace('>= draught', '> draught') },
    ago(0.1),
  )
  await tree.git('checkout', '--quiet', 'main')
  await tree.push('main', 'spring-tides', 'fix/slack-water', 'v0.1.0')
  return { id: project.id, tree, rewrite }
}

/** Creates a project of the owner with this history. */
export async function makeTern(
  instance: Instance,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<Tern> {
  await instance.api('POST', '/projects', {
    name: 'tern',
    description: 'Tide tables for small harbours.',
    topics: ['rust', 'tides'],
    ...fields,
  })
  return pushTern(instance, 'root/tern')
}
