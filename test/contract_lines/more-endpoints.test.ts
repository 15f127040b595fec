import { run } from './run.ts'
import type { Section } from './section.ts'

run(import.meta.glob<{ statements: Section }>('./sections/[5-7]*.ts', { eager: true }))
