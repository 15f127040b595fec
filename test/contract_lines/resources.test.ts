import { run } from './run.ts'
import type { Section } from './section.ts'

run(import.meta.glob<{ statements: Section }>('./sections/[01]*.ts', { eager: true }))
