-- Pools of prepared templates: image is then 'template NAME', which no image is called, and the template's image stands here.
-- Programs from before would take that for an image.
ALTER TABLE pool ADD COLUMN template_image TEXT;
