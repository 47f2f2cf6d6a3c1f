"""Pages without a usable text layer: found, named, and with the extra `ocr` read.

`layers` judges what stands on a page, `legacy` gives text that was set in fonts from before Unicode its letters back,
`scans` has the other pages read by an engine (`rapid`, `tesseract`) and puts what was read in their place, so that
furniture, columns and paragraphs are found in it as in any other text. Nothing is downloaded: the models are part of the
packages that the extra installs.
"""
