export function hostOf(text: string): string;
